// Guarantee: every service is plain gRPC: a stock @grpc/grpc-js client, without code of the project or of
// Connect, calls each RPC of each service and the standard health service, gets its answers,
// its statuses and their details; and what it sends, however large, never ends a service.

import { ID_LENGTH } from "@annals/event";
import { newAccount, type TestAccount } from "@annals/testing";
import { ErrorKind, ErrorSchema } from "@annals/proto/errors";
import { HealthCheckResponse_ServingStatus as ServingStatus } from "@annals/proto/health";
import { RecordFormat } from "@annals/proto/ledger";
import { create, toBinary } from "@bufbuild/protobuf";
import { type Client, type ServiceError, status } from "@grpc/grpc-js";
import { hash } from "node:crypto";
import { connect } from "node:http2";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { metricOf } from "../system/metric-of.ts";
import { CALLERS, mayCall } from "./grants.ts";
import {
  admission,
  call,
  callBytes,
  collect,
  type Endpoint,
  endpointsOf,
  filesOf,
  Health,
  KeysService,
  LedgerService,
  pathOf,
  stockClient,
} from "../system/services.ts";
import { shared, type SharedSystem } from "../system/shared-systems.ts";

let stack: SharedSystem;
let endpoints: Endpoint[];
let account: TestAccount;
let statement: string;
/** By service and caller. */
const clients = new Map<string, Client>();

beforeAll(async () => {
  stack = await shared("one");
  endpoints = endpointsOf(stack);
  for (const endpoint of endpoints) {
    for (const caller of CALLERS) {
      const client = stockClient(endpoint, filesOf(stack, caller));
      clients.set(`${endpoint.process.service} ${caller}`, client);
    }
  }
  account = await newAccount(stack.databaseUrl);
  statement = await admission(clientOf("keys"), account.key);
});
afterAll(() => {
  for (const client of clients.values()) client.close();
});

const clientOf = (service: string, caller: (typeof CALLERS)[number] = "gateway"): Client =>
  clients.get(`${service} ${caller}`) ?? expect.fail(`no ${service}`);
const now = (): string => new Date().toISOString().replace("Z", "000Z");
const failure = (thrown: Promise<unknown>): Promise<ServiceError> =>
  thrown.then(
    () => expect.fail("the call did not fail"),
    (error: ServiceError) => error,
  );

test("keys: each RPC", async () => {
  const client = clientOf("keys");
  const { accountId } = account;
  const { createApiKey, listApiKeys, updateApiKey, deleteApiKey, admitRequests } =
    KeysService.method;
  const wire = { accountId, name: "wire", scopes: ["verify"] };
  const made = await call(client, createApiKey, wire, statement);
  const id = made.apiKey?.id ?? "";
  expect(made.secret).toMatch(/^annals_sk_/);
  const renamed = await call(client, updateApiKey, { accountId, id, name: "thread" }, statement);
  expect(renamed.apiKey).toMatchObject({ id, name: "thread", scopes: ["verify"] });
  const { apiKeys } = await call(client, listApiKeys, { accountId, limit: 100 }, statement);
  expect(apiKeys.map((key) => key.id)).toContain(id);
  const groups = [{ secretSha256: hash("sha256", made.secret, "buffer"), count: 2 }];
  const { admissions } = await call(client, admitRequests, { groups });
  expect(admissions).toMatchObject([{ accountId, keyId: id, admitted: 2 }]);
  await call(client, deleteApiKey, { accountId, id }, statement);
  const after = await call(client, admitRequests, { groups });
  expect(after.admissions).toMatchObject([{ accountId: "", admitted: 0 }]);
});

test("ledger: each RPC", async () => {
  const client = clientOf("ledger");
  const { accountId } = account;
  const events = ["one", "two"].map((action) => `{"action":"${action}","actor":{"id":"a"}}`);
  const eventsJson = Buffer.from(`[${events.join(",")}]`);
  const appends = [{ accountId, receivedAt: now(), eventsJson }];
  const { createEvents, getEvent, listEvents, streamEvents, verifyChain } = LedgerService.method;
  const { outcomes } = await call(client, createEvents, { appends, admissions: [statement] });
  const receipt = outcomes[0]?.outcome;
  if (receipt?.case !== "stored") expect.fail("not stored");
  const id = Buffer.from(receipt.value.packedIds).toString("latin1", 0, ID_LENGTH);
  const wanted = { accountId, id, includeProof: true };
  const { event } = await call(client, getEvent, wanted, statement);
  expect(event).toMatchObject({ id, action: "one", sequenceNumber: 1n, actor: '{"id":"a"}' });
  expect(event?.proof?.salts).toHaveLength(80);
  const page = await call(client, listEvents, { accountId, limit: 1 }, statement);
  expect(page).toMatchObject({ events: [{ action: "two" }], nextAfter: 2n });
  const format = RecordFormat.JSONL;
  const streamed = await collect(clientOf("ledger", "export"), streamEvents, { accountId, format });
  expect(streamed).toMatchObject([
    { count: 2, first: { sequenceNumber: 1n }, last: { sequenceNumber: 2n } },
  ]);
  const verified = await call(client, verifyChain, { accountId }, statement);
  expect(verified).toMatchObject({ valid: true, checked: 2n, headSequenceNumber: 2n });
});

test("health: Check and Watch of every service, and of the server as a whole", async () => {
  for (const { process, service } of endpoints) {
    const client = clientOf(process.service);
    for (const name of ["", service.typeName, Health.typeName]) {
      expect(await call(client, Health.method.check, { service: name })).toMatchObject({
        status: ServingStatus.SERVING,
      });
      expect(
        await collect(client, Health.method.watch, { service: name }, { atMost: 1 }),
      ).toMatchObject([{ status: ServingStatus.SERVING }]);
    }
    const unknown = failure(call(client, Health.method.check, { service: "none" }));
    expect(await unknown).toMatchObject({ code: status.NOT_FOUND });
  }
});

test("an empty request of any RPC is answered or refused, never a fault and never unknown", async () => {
  const { OK, INVALID_ARGUMENT, NOT_FOUND, PERMISSION_DENIED, UNAUTHENTICATED } = status;
  const accepted = [OK, INVALID_ARGUMENT, NOT_FOUND, PERMISSION_DENIED, UNAUTHENTICATED];
  for (const { process, service } of endpoints) {
    for (const method of service.methods) {
      const request = method.methodKind === "unary" ? call : collect;
      const [caller] = mayCall(process.service, method.name);
      const code = await request(clientOf(process.service, caller), method, {}).then(
        () => status.OK,
        (error: ServiceError) => error.code,
      );
      expect(accepted, `${pathOf(method)} answered ${status[code]}`).toContain(code);
    }
  }
});

describe("a refusal", () => {
  test("has its status, a sentence, and the details that our own clients read", async () => {
    const { accountId } = account;
    const missing = { accountId, id: "evt_0" };
    const { getEvent } = LedgerService.method;
    const error = await failure(call(clientOf("ledger"), getEvent, missing, statement));
    expect(error).toMatchObject({
      code: status.NOT_FOUND,
      details: 'No event has the id "evt_0".',
    });
    const [details] = error.metadata.get("grpc-status-details-bin");
    const detail = create(ErrorSchema, { kind: ErrorKind.NOT_FOUND, message: error.details });
    expect(details).toSatisfy((bytes: Buffer) => bytes.includes("annals.errors.v1.Error"));
    expect(details).toSatisfy((bytes: Buffer) =>
      bytes.includes(Buffer.from(toBinary(ErrorSchema, detail))),
    );
  });

  test("of a method that is not there is UNIMPLEMENTED", async () => {
    for (const { process, service } of endpoints) {
      const client = clientOf(process.service);
      for (const path of [`/${service.typeName}/Nothing`, "/annals.none.v1.None/Nothing"]) {
        const error = await failure(callBytes(client, path, Buffer.alloc(0)));
        expect(error.code).toBe(status.UNIMPLEMENTED);
      }
    }
  });
});

describe("a message over the bound", () => {
  const BOUND_BYTES = 16 * 1024 * 1024;

  test("is refused by every service, which serves on with the same process", async () => {
    for (const { process, service } of endpoints) {
      const client = clientOf(process.service);
      const started = () => metricOf(process.adminUrl, "process_start_time_seconds");
      const before = await started();
      const error = await failure(
        callBytes(client, pathOf(service.methods[0]!), Buffer.alloc(BOUND_BYTES + 1)),
      );
      expect(error, process.service).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
      await call(client, Health.method.check, {});
      expect(await started()).toBe(before);
    }
  });

  test("that only claims to be 4 GiB is refused before it is there", async () => {
    for (const { process, address, service } of endpoints) {
      const grpcStatus = await claim(address, pathOf(service.methods[0]!));
      expect(grpcStatus, process.service).toBe(String(status.RESOURCE_EXHAUSTED));
      await call(clientOf(process.service), Health.method.check, {});
    }
  });
});

/**
 * A gRPC frame whose head says 4 GiB - 1, with ten bytes after it. Resolves to the status that
 * comes back.
 */
function claim(address: string, path: string): Promise<string> {
  const session = connect(`https://${address}`, {
    ...filesOf(stack, "gateway"),
    checkServerIdentity: () => undefined,
  });
  return new Promise<string>((resolve, reject) => {
    session.on("error", reject);
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
    });
    const answer = (headers: Record<string, string | string[] | number | undefined>): void => {
      if (headers["grpc-status"] !== undefined) resolve(headers["grpc-status"].toString());
    };
    stream.on("response", answer).on("trailers", answer).on("error", reject).resume();
    stream.write(Buffer.from([0, 255, 255, 255, 255, ...Buffer.alloc(10)]));
  }).finally(() => session.destroy());
}
