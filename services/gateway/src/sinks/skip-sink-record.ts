// POST /v1/sinks/{id}/skip (docs/interface.md): passes over the one event that the receiver refuses for good.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { CLOSED, idIn, named, SequenceNumber } from "../render/schema.ts";
import { SinkId } from "./render-sink.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

const Skipped = SequenceNumber({
  maximum: Number.MAX_SAFE_INTEGER,
  description: "The event that `rejected` of the status names.",
  examples: [42],
});

const Body = named("SinkSkip", Type.Object({ sequence_number: Skipped }, CLOSED));
const Answer = named(
  "SinkSkipped",
  Type.Object({ sequence_number: SequenceNumber({ examples: [42] }) }),
);

export function skipSinkRecord({ webhooks }: Pick<Deps, "webhooks">): Route {
  return route({
    summary: "Skip an event that the receiver of a sink refuses",
    description:
      "Passes over the event that `rejected` of the status names, and over no other. The sink goes on after it. The " +
      "receiver is sent a gap, `lost` of the status lists it, and the account's chain records it.",
    feature: "webhooks",
    params: idIn(SinkId),
    body: Body,
    success: { status: 200, body: dataOf(Answer) },
    failures: [404],
    handle: async ({ admission, body, params }) => {
      const { sequence_number: number } = body;
      const { accountId } = admission;
      const request = { accountId, id: params.id, sequenceNumber: BigInt(number) };
      await webhooks.skipSinkRecord(request, admittedBy(admission));
      return { body: { data: { sequence_number: number } } };
    },
  });
}
