// The handlers of sinks, as the RPC server calls them, with a configuration that has a secret. Imported by
// tests only.

import { create } from "@bufbuild/protobuf";
import {
  CreateSinkRequestSchema,
  type CreateSinkResponse,
  type GetSinkStatusResponse,
  type Sink,
  SinkFormat,
  UpdateSinkRequestSchema,
} from "@annals/proto/sinks";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { createSink } from "../sinks/rpc/create-sink.ts";
import { deleteSink } from "../sinks/rpc/delete-sink.ts";
import { getSinkStatus } from "../sinks/rpc/get-sink-status.ts";
import { getSink } from "../sinks/rpc/get-sink.ts";
import { listSinks } from "../sinks/rpc/list-sinks.ts";
import { replaySink } from "../sinks/rpc/replay-sink.ts";
import { skipSinkRecord } from "../sinks/rpc/skip-sink-record.ts";
import { updateSink } from "../sinks/rpc/update-sink.ts";
import type { newHandlers } from "./dispatcher.ts";

export type GivenSink = Omit<MessageInitShape<typeof CreateSinkRequestSchema>, "$typeName">;

/** The value of the header of {@link HTTP}: no response, entry or column may have it. */
export const SECRET = "Bearer tip-top-secret";

const HTTP = {
  type: "http",
  url: "https://siem.example.com/in",
  headers: { Authorization: SECRET },
  compress: true,
};

export const httpConfig = (given: object = {}) => ({
  config: JSON.stringify({ ...HTTP, ...given }),
});

export function sinkHandlers({ ask }: ReturnType<typeof newHandlers>) {
  return {
    create: async (accountId: string, given: GivenSink = {}) => {
      const request = create(CreateSinkRequestSchema, {
        accountId,
        format: SinkFormat.ANNALS,
        active: true,
        ...httpConfig(),
        ...given,
      });
      const { sink } = await ask<CreateSinkResponse>(createSink, request);
      if (!sink) throw new Error("the response has no sink");
      return sink;
    },
    update: async (
      accountId: string,
      id: string,
      given: Omit<MessageInitShape<typeof UpdateSinkRequestSchema>, "$typeName">,
    ) => {
      const request = create(UpdateSinkRequestSchema, { accountId, id, ...given });
      return (await ask<{ sink: Sink }>(updateSink, request)).sink;
    },
    get: async (accountId: string, id: string) =>
      (await ask<{ sink: Sink }>(getSink, { accountId, id })).sink,
    list: async (accountId: string) =>
      (await ask<{ sinks: Sink[] }>(listSinks, { accountId, limit: 100, after: "" })).sinks,
    delete: (accountId: string, id: string) => ask(deleteSink, { accountId, id }),
    replay: (accountId: string, id: string, fromSequenceNumber: bigint) =>
      ask(replaySink, { accountId, id, fromSequenceNumber }),
    skip: (accountId: string, id: string, sequenceNumber: bigint) =>
      ask(skipSinkRecord, { accountId, id, sequenceNumber }),
    status: (accountId: string, id: string) =>
      ask<GetSinkStatusResponse>(getSinkStatus, { accountId, id }),
  };
}
