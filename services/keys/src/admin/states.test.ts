// Guarantee: the admin API shows what other services know of accounts, a page at a time, and what has waited
// for more than five minutes. A service that does not answer is named, and the rest is shown. Other services
// are fakes; PostgreSQL and HTTP are real.

import { formatMicros, systemClock } from "@annals/contract";
import { ReportStateResponseSchema as Exports } from "@annals/proto/exports";
import { ReportStateResponseSchema as Ledger } from "@annals/proto/ledger";
import { ReportStateResponseSchema as Webhooks } from "@annals/proto/webhooks";
import { create } from "@bufbuild/protobuf";
import type { Pool } from "@annals/postgres";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openConsole } from "../testing/console.ts";
import { migratedDatabase, storeKey } from "../testing/database.ts";
import { identitiesOf } from "../testing/log-in.ts";

const TOKEN = "t".repeat(32);
const MINUTE = 60_000_000;

const ago = (minutes: number) => formatMicros(systemClock().nowMicros() - minutes * MINUTE);

let database: Pool;
let baseUrl: string;
/** The accounts of each call, and whether the export service answers. */
const asked: string[][] = [];
let exportAnswers = true;
let failingSince = "";

beforeAll(async () => {
  ({ service: database } = await migratedDatabase(afterAll));
  const reporters = {
    ledger: {
      reportState: async ({ accountIds = [] }: { readonly accountIds?: string[] }) => {
        asked.push(accountIds);
        const states = accountIds.map((accountId) => ({
          accountId,
          events: 7n,
          newestEventAt: "2026-01-31T09:30:00.000000Z",
          verificationDueAt: ago(1),
        }));
        return create(Ledger, { states });
      },
    },
    exports: {
      reportState: async ({ accountIds = [] }: { readonly accountIds?: string[] }) => {
        if (!exportAnswers) throw new Error("unreachable");
        const states = accountIds.map((accountId) => ({
          accountId,
          openExports: 2,
          oldestCreatedAt: ago(6),
        }));
        return create(Exports, { states });
      },
    },
    webhooks: {
      reportState: async () =>
        create(Webhooks, {
          states: [{ accountId: "acct_late", webhooks: 1, webhookFailingSince: failingSince }],
        }),
    },
  };
  const around = { database, identities: identitiesOf(), origin: "https://o.example" };
  const api = await openConsole({ ...around, reporters, token: TOKEN });
  baseUrl = `http://127.0.0.1:${api.port}/admin/v1`;
  afterAll(() => api.close());
});

beforeEach(() => {
  asked.length = 0;
  exportAnswers = true;
  failingSince = "";
});

async function get(path: string) {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const response = await fetch(`${baseUrl}${path}`, { headers });
  // oxlint-disable-next-line no-explicit-any -- each test knows the shape
  const body: any = await response.json();
  return { status: response.status, body };
}

test("a page of accounts has the state of each, and one call asks for all of them", async () => {
  const ids = [(await storeKey(database)).accountId, (await storeKey(database)).accountId];
  const { body } = await get("/states?limit=100");
  const found = body.data.filter(({ id }: { readonly id: string }) => ids.includes(id));
  expect(found).toHaveLength(2);
  expect(found[0]).toMatchObject({
    live_keys: 1,
    events: 7,
    newest_event_at: "2026-01-31T09:30:00.000000Z",
    verified_at: null,
    open_exports: 2,
    webhooks: 0,
    // A minute is on its way.
    lags: [{ what: "export", since: expect.any(String) }],
  });
  expect(body.unavailable).toEqual([]);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toEqual(body.data.map(({ id }: { readonly id: string }) => id));
});

test("a service that does not answer is named, and its part is null", async () => {
  exportAnswers = false;
  const { accountId } = await storeKey(database);
  const { body, status } = await get(`/accounts/${accountId}/state`);
  expect(status).toBe(200);
  expect(body.data).toMatchObject({
    id: accountId,
    events: 7,
    open_exports: null,
    lags: [],
    unavailable: ["export"],
  });
  expect((await get("/accounts/acct_00000000000000000000000000/state")).status).toBe(404);
});

test("the health names the services that do not answer, and what has waited longest", async () => {
  failingSince = ago(4);
  expect((await get("/health")).body.data.lags).toEqual([]);
  failingSince = ago(6);
  exportAnswers = false;
  const { body } = await get("/health");
  expect(asked).toEqual([[], []]);
  expect(body.data).toEqual({
    services: [
      { name: "keys", answers: true },
      { name: "ledger", answers: true },
      { name: "export", answers: false },
      { name: "webhook-dispatcher", answers: true },
    ],
    lags: [{ account_id: "acct_late", what: "webhook", since: failingSince }],
  });
});

test("a search finds accounts by a part of the name in either case, or by the id", async () => {
  const { accountId } = await storeKey(database);
  const rename = (id: string, name: string) =>
    fetch(`${baseUrl}/accounts/${id}`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify({ name }),
    });
  expect((await rename(accountId, "100%_Needle Ltd")).status).toBe(200);
  const found = async (text: string) => {
    const { body } = await get(`/states?search=${encodeURIComponent(text)}`);
    return body.data.map(({ id }: { readonly id: string }) => id);
  };
  expect(await found("%_needle")).toEqual([accountId]);
  expect(await found(accountId)).toEqual([accountId]);
  expect(await found("_%needle")).toEqual([]);
  expect(await found(accountId.slice(0, -1))).toEqual([]);
  expect((await get("/accounts?search=needle")).body.data).toHaveLength(1);
  expect((await get("/accounts?search=")).status).toBe(422);
  expect((await get("/accounts?search=a%00")).status).toBe(422);
  expect((await get(`/accounts?search=${"x".repeat(256)}`)).status).toBe(422);
});
