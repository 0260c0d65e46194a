// Guarantee: the standard health service says what is so, to a stock client: readiness as it
// changes, names that are not there, and the drain before it comes.

import { once } from "node:events";
import {
  Health,
  HealthCheckRequestSchema,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from "@annals/proto/health";
import { LedgerService } from "@annals/proto/ledger";
import { identityOf } from "@annals/contract";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client as GrpcClient, status } from "@grpc/grpc-js";
import { afterEach, describe, expect, it, vi } from "vitest";
import { echo, GRACE_MS, Opened } from "./testing/test-ledger.ts";
import { GATEWAY_TLS } from "./testing/test-tls.ts";

const opened = new Opened();
afterEach(() => opened.closeAll());

/** A stock client, without code of the project. */
function stockClient(address: string): GrpcClient {
  const client = new GrpcClient(address, GATEWAY_TLS.credentialsFor("ledger"), {
    "grpc.ssl_target_name_override": identityOf("ledger"),
  });
  opened.add(() => client.close());
  return client;
}

const encode = (service: string): Buffer =>
  Buffer.from(toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema, { service })));
const decode = (bytes: Buffer): ServingStatus =>
  fromBinary(HealthCheckResponseSchema, bytes).status;

function check(client: GrpcClient, service: string): Promise<ServingStatus> {
  const path = `/${Health.typeName}/Check`;
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, encode, decode, service, (error, answer) => {
      if (error) reject(error);
      else resolve(answer ?? ServingStatus.UNKNOWN);
    });
  });
}

describe("health, asked by a stock client", () => {
  it("answers for the server and each service from its readiness", async () => {
    let ready = false;
    const server = await opened.server(echo, { isReady: () => ready });
    const client = stockClient(server.address);
    for (const service of ["", LedgerService.typeName]) {
      ready = false;
      expect(await check(client, service)).toBe(ServingStatus.NOT_SERVING);
      ready = true;
      expect(await check(client, service)).toBe(ServingStatus.SERVING);
    }
    await expect(check(client, "no.such.Service")).rejects.toMatchObject({
      code: status.NOT_FOUND,
    });
  });

  it("Watch tells each change, unknown names, and the drain before the stream ends", async () => {
    let ready = true;
    const server = await opened.server(echo, { isReady: () => ready });
    const client = stockClient(server.address);
    const watch = (service: string) => {
      const seen: ServingStatus[] = [];
      const stream = client.makeServerStreamRequest(
        `/${Health.typeName}/Watch`,
        encode,
        decode,
        service,
      );
      stream.on("data", (answer: ServingStatus) => seen.push(answer));
      return { seen, ended: once(stream, "end") };
    };
    const all = watch("");
    const unknown = watch("no.such.Service");
    await vi.waitFor(() => expect(all.seen).toStrictEqual([ServingStatus.SERVING]));
    ready = false;
    await vi.waitFor(() => expect(all.seen).toHaveLength(2), { timeout: 3_000 });
    ready = true;
    await vi.waitFor(() => expect(all.seen).toHaveLength(3), { timeout: 3_000 });
    await server.close({ graceMs: GRACE_MS });
    await Promise.all([all.ended, unknown.ended]);
    const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = ServingStatus;
    expect(all.seen).toStrictEqual([SERVING, NOT_SERVING, SERVING, NOT_SERVING]);
    expect(unknown.seen).toStrictEqual([SERVICE_UNKNOWN]);
  });
});
