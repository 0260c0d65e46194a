// Guarantee: the events that an account exports and replays in a day of UTC are limited by its plan, and
// shown by GET /v1/usage: by exports, replays of webhooks and of sinks, and new sinks that begin with stored
// events. What passes the limit is the day's last one. Then 429 plan_limit_exceeded says when the day ends.
// Erasures are limited, too, whether or not they are cancelled.

import {
  eventually,
  HttpClient,
  newAccount,
  newClient as newClientOf,
  ownerOf,
} from "@annals/testing";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { URL_OF_NOBODY } from "../../system/bad-bodies.ts";
import { PLANS, shared, type SharedSystem } from "../../system/shared-systems.ts";
import { expectRefused } from "../refusal.ts";

const EVENTS = 5;
/** What an export counts at least. */
const LEAST = PLANS.plans.daily.events_exported_per_day / 2;
const REPLAYED = PLANS.plans.daily.events_replayed_per_day;
const DAY_S = 86_400;
const SINK = { type: "http", config: { url: URL_OF_NOBODY }, active: false };

let stack: SharedSystem;
let owner: ReturnType<typeof ownerOf>;

beforeAll(async () => {
  stack = await shared("webhooks");
  owner = ownerOf(stack.databaseUrl);
});
afterAll(() => owner.close());

async function newClient(plan: keyof typeof PLANS.plans = "daily") {
  const { accountId, key } = await newAccount(stack.databaseUrl);
  await owner.query("UPDATE keys.accounts SET plan = $2 WHERE account_id = $1", [accountId, plan]);
  const client = new HttpClient(stack.baseUrls[0] ?? "", key);
  const events = Array.from({ length: EVENTS }, (_, at) => ({ action: `a.${at}` }));
  expect((await client.post("/v1/events/batch", { events })).status).toBe(201);
  return { accountId, client };
}

async function usedBy(client: HttpClient, member: string) {
  const { body, status, text } = await client.get("/v1/usage");
  expect(status, text).toBe(200);
  return body.data[`events_${member}_today`];
}

const yesterday = (schema: string, accountId: string) =>
  owner.query(`UPDATE ${schema}.daily_uses SET day = day - 1 WHERE account_id = $1`, [accountId]);

function expectLater(answer: Parameters<typeof expectRefused>[0], limit: number, what: string) {
  const message = new RegExp(`allows ${limit} ${what} per day`);
  expectRefused(answer, "plan_limit_exceeded", { message });
  expect(answer.status).toBe(429);
  const seconds = Number(answer.headers["retry-after"]);
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(DAY_S);
}

test("exports count the events of their range, and at least 1,000; the next day counts anew", async () => {
  const { accountId, client } = await newClient();
  const create = (body: object) => client.post("/v1/exports", body);
  expect((await create({ format: "csv" })).status).toBe(201);
  // The same export again is no work.
  expect((await create({ format: "csv" })).status).toBe(201);
  expect(await usedBy(client, "exported")).toEqual({ used: LEAST, limit: 2 * LEAST });
  const { id } = (await create({ format: "jsonl" })).body.data;
  await client.delete(`/v1/exports/${id}`);
  expectLater(await create({ format: "parquet" }), 2 * LEAST, "exported events");
  expect(await usedBy(client, "exported")).toEqual({ used: 2 * LEAST, limit: 2 * LEAST });
  await yesterday("exports", accountId);
  expect(await usedBy(client, "exported")).toEqual({ used: 0, limit: 2 * LEAST });
  expect((await create({ format: "parquet" })).status).toBe(201);
});

test("most of what a filter leaves out is given back when the export is completed", async () => {
  const { client } = await newClient();
  const left = 4_000 - EVENTS;
  for (let at = 0; at < left; at += 1_000) {
    const events = Array.from({ length: Math.min(1_000, left - at) }, () => ({ action: "b" }));
    await client.post("/v1/events/batch", { events });
  }
  const body = { format: "csv", filter: { action: "a.1" } };
  const { id } = (await client.post("/v1/exports", body)).body.data;
  await eventually("the export is completed", async () => {
    const { data } = (await client.get(`/v1/exports/${id}`)).body;
    return data.status === "completed";
  });
  // A sixteenth of 3,999 and one event are fewer than what counts at least.
  expect(await usedBy(client, "exported")).toEqual({ used: LEAST, limit: 2 * LEAST });
  // It was one export of more than the limit, which a day may begin with.
  const { id: all } = (await client.post("/v1/exports", { format: "csv" })).body.data;
  expect((await usedBy(client, "exported")).used).toBe(LEAST + 4_000);
  await client.delete(`/v1/exports/${all}`);
  expect((await usedBy(client, "exported")).used).toBe(LEAST + 4_000);
  expectLater(await client.post("/v1/exports", { format: "jsonl" }), 2 * LEAST, "exported events");
});

describe("replays", () => {
  test("a sink's count the events from its number on, and so do new sinks", async () => {
    const { accountId, client } = await newClient();
    const { id } = (await client.post("/v1/sinks", SINK)).body.data;
    expect((await usedBy(client, "replayed")).used).toBe(0);
    const replay = (from: number) =>
      client.post(`/v1/sinks/${id}/replay`, { from_sequence_number: from });
    expect((await replay(EVENTS + 1)).status).toBe(200);
    expect((await replay(4)).status).toBe(200);
    expect((await usedBy(client, "replayed")).used).toBe(2);
    expect((await client.post("/v1/sinks", { ...SINK, from: 1 })).status).toBe(201);
    expect(await usedBy(client, "replayed")).toEqual({ used: 2 + EVENTS, limit: REPLAYED });
    const { cursor } = (await client.get(`/v1/sinks/${id}/status`)).body.data;
    expectLater(await replay(1), REPLAYED, "replayed events");
    expect((await client.get(`/v1/sinks/${id}/status`)).body.data.cursor).toBe(cursor);
    expectLater(await client.post("/v1/sinks", { ...SINK, from: 1 }), REPLAYED, "replayed events");
    expect((await client.get("/v1/sinks")).body.data).toHaveLength(2);
    // What begins with the next event replays nothing.
    expect((await client.post("/v1/sinks", SINK)).status).toBe(201);
    await yesterday("webhooks", accountId);
    expect((await replay(1)).status).toBe(200);
  });

  test("a webhook's count the events of their range", async () => {
    const { accountId, client } = await newClient();
    const hook = { url: URL_OF_NOBODY, events: ["event.created"] };
    const { id } = (await client.post("/v1/webhooks", hook)).body.data;
    await owner.query(
      "UPDATE webhooks.webhooks SET first_success_at = now() WHERE account_id = $1",
      [accountId],
    );
    const replay = (from: number, to: number) =>
      client.post(`/v1/webhooks/${id}/replay`, {
        from_sequence_number: from,
        to_sequence_number: to,
      });
    expect((await replay(1, 5)).status).toBe(201);
    expect((await replay(2, 4)).status).toBe(201);
    expect((await usedBy(client, "replayed")).used).toBe(8);
    expectLater(await replay(1, 1), REPLAYED, "replayed events");
    expect((await usedBy(client, "replayed")).used).toBe(8);
  });
});

test("a plan that allows none refuses the first one, and says so", async () => {
  const { client } = await newClient("idle");
  const refused = await client.post("/v1/exports", {});
  expectRefused(refused, "plan_limit_exceeded", { message: /allows no exported events/ });
  expect(refused.status).toBe(403);
  const sink = await client.post("/v1/sinks", { ...SINK, from: 1 });
  expectRefused(sink, "plan_limit_exceeded", { message: /allows no replayed events/ });
});

test("an account asks for at most 1,000 erasures in a day, those that it cancels included", async () => {
  // There erasures wait for a day, so that one can be cancelled.
  const waiting = inject("stack");
  const { accountId, client } = await newClientOf(waiting);
  const ask = () => client.post("/v1/erasures", { actor_id: "u_1", parts: ["actor"] });
  const { id } = (await ask()).body.data;
  expect((await client.delete(`/v1/erasures/${id}`)).status).toBeLessThan(300);
  const count =
    "UPDATE ledger.daily_uses SET used = used + 998 WHERE account_id = $1 RETURNING used";
  const rows = ownerOf(waiting.databaseUrl);
  onTestFinished(() => rows.close());
  expect(await rows.query(count, [accountId])).toEqual([{ used: "999" }]);
  expect((await ask()).status).toBe(201);
  expectLater(await ask(), 1_000, "requested erasures");
});
