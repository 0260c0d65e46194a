// Guarantee: a page of the console asks for many things at once, and each request gets its answer, although
// few run at a time. Real PostgreSQL, real HTTP.

import { afterAll, beforeAll, expect, test } from "vitest";
import { openConsole } from "../testing/console.ts";
import { migratedDatabase } from "../testing/database.ts";
import { identitiesOf, startProvider } from "../testing/log-in.ts";
import { storePerson, storeSession } from "../testing/people.ts";

const TOKEN = "t".repeat(32);
/** More than run at a time, and fewer than the connections that the port takes. */
const REQUESTS = 40;

let cookie: string;
let baseUrl: string;

beforeAll(async () => {
  const { owner, service: database } = await migratedDatabase(afterAll);
  const server = await startProvider({}, afterAll);
  const person = await storePerson(owner, { issuer: server.issuer, groups: ["operators"] });
  const session = await storeSession(owner, person, { realm: "operator" });
  cookie = `__Host-annals-operator=${session.cookie}`;
  const operators = { groups: ["operators"], subjects: [] };
  const identities = identitiesOf(server.entry({ operators }));
  const origin = "https://operators.example.com";
  const api = await openConsole({ database, identities, origin, token: TOKEN });
  baseUrl = `http://127.0.0.1:${api.port}`;
  afterAll(() => api.close());
});

test("requests of a page wait for each other", async () => {
  const ask = async () => {
    const response = await fetch(`${baseUrl}/admin/v1/accounts`, { headers: { cookie } });
    await response.arrayBuffer();
    return response.status;
  };
  const statuses = await Promise.all(Array.from({ length: REQUESTS }, ask));
  expect(new Set(statuses)).toEqual(new Set([200]));
});
