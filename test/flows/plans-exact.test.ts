// A plan's limits are exact under concurrency: over all gateways, keys services and ledgers at once, as many
// keys and events are stored, and requests admitted, as the plan allows, not one more and not one less, and
// each refusal says so.

import { HttpClient, newKey, type TestAccount } from "@annals/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PlannedSystem, openPlannedSystem } from "../system/plans-constellation.ts";
import { RATE_LIMIT } from "../system/shared-systems.ts";

/** Of the plan `exact`. */
const MAX_KEYS = 10;
const MONTHLY_EVENTS = 100;
/** Requests of a key of those that are sent at once: fewer than its own limit. */
const OF_A_KEY = 90;
/** Of the plan `slow`. */
const REQUESTS_PER_MINUTE = 40;

let system: PlannedSystem;

beforeAll(async () => {
  system = await openPlannedSystem();
});
afterAll(() => system.close());

/** A client of the account at each gateway. */
function everywhere(key: string): HttpClient[] {
  return system.baseUrls.map((baseUrl) => new HttpClient(baseUrl, key));
}

/** The statuses of `count` requests at once, spread over the gateways, by as many keys as they need. */
async function atOnce(
  { accountId, key: first }: TestAccount,
  count: number,
  send: (client: HttpClient, index: number) => Promise<{ readonly status: number }>,
): Promise<Record<number, number>> {
  const keys = [first];
  while (keys.length * OF_A_KEY < count)
    keys.push((await newKey(system.databaseUrl, accountId)).key);
  const clients = keys.flatMap(everywhere);
  const answers = await Promise.all(
    Array.from({ length: count }, (_, index) => {
      const client = clients[index % clients.length];
      if (!client) throw new Error("there is no gateway");
      return send(client, index);
    }),
  );
  for (const client of clients) client.close();
  const statuses: Record<number, number> = {};
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
  return statuses;
}

async function checked(client: HttpClient): Promise<unknown> {
  const { body } = await client.get("/v1/verify");
  return { valid: body.data.valid, checked: body.data.checked };
}

test("of 300 events at once 100 are stored and 200 refused", async () => {
  const { account, client } = await system.newClient("exact");
  const statuses = await atOnce(account, 300, (each) =>
    each.post("/v1/events", { action: "thing.done" }),
  );
  expect(statuses).toEqual({ 201: MONTHLY_EVENTS, 429: 200 });
  expect(await checked(client)).toEqual({ valid: true, checked: MONTHLY_EVENTS });
});

test("batches are stored whole, and what they leave is filled to the last event", async () => {
  const { account, client } = await system.newClient("exact");
  const events = Array.from({ length: 7 }, () => ({ action: "thing.done" }));
  const batches = await atOnce(account, 60, (each) => each.post("/v1/events/batch", { events }));
  expect(batches).toEqual({ 201: 14, 429: 46 });
  const singles = await atOnce(account, 30, (each) =>
    each.post("/v1/events", { action: "thing.done" }),
  );
  expect(singles).toEqual({ 201: 2, 429: 28 });
  expect(await checked(client)).toEqual({ valid: true, checked: MONTHLY_EVENTS });
});

test("of 60 keys at once those are made that the plan has room for", async () => {
  const { account, client } = await system.newClient("exact");
  const statuses = await atOnce(account, 60, (each, index) =>
    each.post(index % 2 === 0 ? "/v1/api-keys" : "/v1/keys", { name: `key ${index}` }),
  );
  // One more is the key that asks.
  expect(statuses).toEqual({ 201: MAX_KEYS - 1, 403: 60 - MAX_KEYS + 1 });
  expect((await client.get("/v1/api-keys")).body.data).toHaveLength(MAX_KEYS);
});

test("of 240 requests by two keys and a widget token at once 40 are admitted, whichever makes them", async () => {
  const { account, client } = await system.newClient();
  const second = (await client.post("/v1/api-keys", { name: "second" })).body.data.key;
  const { token } = (await client.post("/v1/widget-tokens", {})).body.data;
  await system.setPlan(account, "slow");
  await system.query("DELETE FROM keys.account_windows WHERE account_id = $1", [account.accountId]);
  const answers = await Promise.all([
    ...ask(account.key, "/v1/events?limit=1"),
    ...ask(second, "/v1/events?limit=1"),
    ...ask(token, "/v1/widget/events?limit=1"),
  ]);
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(REQUESTS_PER_MINUTE);
  expect(refused).toHaveLength(240 - REQUESTS_PER_MINUTE);
  for (const { body, headers } of refused) {
    const retryAfterS = Number(headers["retry-after"]);
    expect(retryAfterS).toBeGreaterThan(0);
    expect(retryAfterS).toBeLessThanOrEqual(60);
    expect(body.error).toEqual({
      type: "rate_limit_exceeded",
      message: `Rate limit reached: 40 requests per minute for this account. Try again in ${retryAfterS} seconds.`,
    });
    // Still the key's or the token's own.
    expect([String(RATE_LIMIT), "120"]).toContain(headers["x-ratelimit-limit"]);
    expect(headers["x-ratelimit-remaining"]).toBe("0");
  }
  // What was refused is in no window.
  const windows = "SELECT sum(used)::int AS used FROM keys.rate_windows WHERE account_id = $1";
  const [{ used } = { used: 0 }] = await system.query<{ used: number }>(windows, [
    account.accountId,
  ]);
  const before = 2;
  expect(used).toBe(REQUESTS_PER_MINUTE + before);
  // Another account is not concerned, and with another plan this one goes on.
  const other = await system.newClient("slow");
  expect((await other.client.get("/v1/events")).status).toBe(200);
  await system.setPlan(account, "everything");
  expect((await client.get("/v1/events")).status).toBe(200);
});

/** 80 requests, spread over the gateways. */
function ask(key: string, path: string) {
  const clients = everywhere(key);
  return Array.from({ length: 80 }, (_, index) => {
    const client = clients[index % clients.length];
    if (!client) throw new Error("there is no gateway");
    return client.get(path);
  });
}
