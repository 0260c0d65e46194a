// Guarantees: a page of the console asks for many things at once, and each request gets its answer, although
// few run at a time; a program that asks for more is told to try again. Real PostgreSQL, real HTTP.

import { ReportStateResponseSchema } from "@annals/proto/ledger";
import { eventually } from "@annals/testing";
import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openConsole } from "../testing/console.ts";
import { migratedDatabase } from "../testing/database.ts";
import { identitiesOf, startProvider } from "../testing/log-in.ts";
import { storePerson, storeSession } from "../testing/people.ts";

const TOKEN = "t".repeat(32);
/** More sessions than are looked up at a time, and fewer than the connections that the port takes. */
const REQUESTS = 40;
const IN_FLIGHT = 8;

/** Calls of the ledger, which answers once the test lets it. */
let calls = 0;
const answer = Promise.withResolvers<void>();
let asOperator: Readonly<Record<string, string>>;
let baseUrl: string;

beforeAll(async () => {
  const { owner, service: database } = await migratedDatabase(afterAll);
  const server = await startProvider({}, afterAll);
  const person = await storePerson(owner, { issuer: server.issuer, groups: ["operators"] });
  const session = await storeSession(owner, person, { realm: "operator" });
  asOperator = { cookie: `__Host-annals-operator=${session.cookie}` };
  const operators = { groups: ["operators"], subjects: [] };
  const identities = identitiesOf(server.entry({ operators }));
  const silent = { reportState: () => Promise.reject(new Error("nobody answers")) };
  const reportState = async () => {
    calls += 1;
    await answer.promise;
    return create(ReportStateResponseSchema);
  };
  const reporters = { ledger: { reportState }, exports: silent, webhooks: silent };
  const origin = "https://operators.example.com";
  const api = await openConsole({ database, identities, origin, reporters, token: TOKEN });
  baseUrl = `http://127.0.0.1:${api.port}`;
  afterAll(() => api.close());
});

async function ask(path: string, headers = asOperator) {
  const response = await fetch(`${baseUrl}${path}`, { headers });
  await response.arrayBuffer();
  return response.status;
}

test("requests of a page wait until the session of each is looked up", async () => {
  const asked = Array.from({ length: REQUESTS }, () => ask("/admin/v1/accounts"));
  expect(new Set(await Promise.all(asked))).toEqual(new Set([200]));
});

test("a page waits while others are in flight, and a program is told to try again", async () => {
  const slow = Array.from({ length: IN_FLIGHT }, () => ask("/admin/v1/health"));
  await eventually("every slot is taken", async () => calls === IN_FLIGHT);
  const waiting = ask("/admin/v1/accounts");
  expect(await ask("/admin/v1/accounts", { authorization: `Bearer ${TOKEN}` })).toBe(500);
  expect(await ask("/auth/session")).toBe(200);
  answer.resolve();
  expect(new Set(await Promise.all([...slow, waiting]))).toEqual(new Set([200]));
});
