// GET /v1/usage shows what is stored for the caller's account and nothing of another one's, with the limits
// that are enforced: where one is reached, what is used is the limit, and one more is refused. Any key may
// ask. The tests have a stack of their own, since most of its limits are settings of services, and they stop
// one of these.

import { eventually, HttpClient, newAccount, newKey, ownerOf } from "@annals/testing";
import type { Stack } from "@annals/local";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { startConstellation } from "../../system/constellation.ts";
import { expectRefused } from "../refusal.ts";
import { URL_OF_NOBODY } from "../../system/bad-bodies.ts";

const RATE_LIMIT_PER_MINUTE = 30;
const PLANS = {
  plans: {
    small: {
      max_keys: 3,
      max_webhooks: 1,
      max_sinks: 1,
      max_widget_tokens: 8,
      monthly_events: 5,
      requests_per_minute: 90,
    },
    narrow: { features_left_out: ["webhooks", "exports"] },
    everything: {},
  },
  default: "everything",
};

const PENDING_BYTES = 1024 * 1024;

let stack: Stack;
let folder: string;
let owner: ReturnType<typeof ownerOf>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "annals-usage-"));
  await writeFile(join(folder, "plans.json"), JSON.stringify(PLANS));
  stack = await startConstellation({
    shared: inject("stack"),
    rateLimitPerMinute: RATE_LIMIT_PER_MINUTE,
    env: {
      keys: { ANNALS_PLANS_FILE: join(folder, "plans.json") },
      export: {
        ANNALS_EXPORT_MAX_BYTES_PER_ACCOUNT: "100000",
        ANNALS_EXPORT_MAX_KEPT_PER_ACCOUNT: "2",
        ANNALS_EXPORT_MAX_UNDER_WAY_PER_ACCOUNT: "1",
        ANNALS_EXPORT_RETENTION_DAYS: "0",
      },
      "webhook-dispatcher": {
        ANNALS_WEBHOOK_MAX_PENDING_PER_ACCOUNT: "3",
        ANNALS_WEBHOOK_MAX_PENDING_BYTES_PER_ACCOUNT: String(PENDING_BYTES),
        ANNALS_WEBHOOK_DELIVERY_RETENTION_DAYS: "7",
      },
    },
  });
  owner = ownerOf(stack.databaseUrl);
});
afterAll(async () => {
  await owner?.close();
  await stack?.stop();
  await rm(folder, { recursive: true });
});

async function newClient(plan: string) {
  const account = await newAccount(stack.databaseUrl);
  const set = "UPDATE keys.accounts SET plan = $2 WHERE account_id = $1";
  await owner.query(set, [account.accountId, plan]);
  return { ...account, client: new HttpClient(stack.baseUrls[0] ?? "", account.key) };
}

async function usageOf(client: HttpClient) {
  const answer = await client.get("/v1/usage");
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

async function bytesOf(client: HttpClient): Promise<number> {
  const { body } = await client.get("/v1/exports");
  const sizes = body.data.map((one: { size_bytes: number }) => one.size_bytes);
  return sizes.reduce((sum: number, size: number) => sum + size, 0);
}

/** More than none. */
async function pendingBytesOf(accountId: string): Promise<number> {
  const sum = `SELECT sum(bytes)::int AS bytes FROM webhooks.deliveries
    WHERE account_id = $1 AND due_at IS NOT NULL`;
  const [row] = await owner.query<{ bytes: number }>(sum, [accountId]);
  expect(row?.bytes).toBeGreaterThan(0);
  return row?.bytes ?? 0;
}

const month = () => new Date().toISOString().slice(0, 7);
const use = (used: number, limit: number | null) => ({ used, limit });

describe("200", () => {
  test("an account that has nothing but its key", async () => {
    const { client, accountId, keyId } = await newClient("everything");
    const { key, requests, account_requests: ofAccount, ...rest } = await usageOf(client);
    expect(key.id).toBe(keyId);
    expect(ofAccount).toEqual({ ...use(1, 60 * RATE_LIMIT_PER_MINUTE), resets_in: 60 });
    expect(requests).toEqual({ ...use(1, RATE_LIMIT_PER_MINUTE), resets_in: 60 });
    expect(rest).toEqual({
      account_id: accountId,
      plan: { name: "everything", features: ["webhooks", "exports", "verify", "lifecycle"] },
      events: use(0, null),
      month_events: { ...use(0, null), month: month() },
      api_keys: use(1, 1_000),
      widget_tokens: use(0, 10_000),
      widget_tokens_of_key: use(0, 2_500),
      webhooks: use(0, 1_000),
      sinks: use(0, 10),
      pending_deliveries: use(0, 3),
      pending_delivery_bytes: use(0, PENDING_BYTES),
      exports: use(0, 2),
      export_bytes: use(0, 100_000),
      exports_under_way: use(0, 1),
      events_exported_today: use(0, 100_000_000),
      events_replayed_today: use(0, 100_000_000),
      idempotency_hours: 72,
      retention_days: { deliveries: 7, exports: null },
    });
  });

  test("where a limit is reached, what is used is the limit, and one more is refused", async () => {
    const { client, accountId } = await newClient("small");
    const made = async (path: string, body: object) => {
      const answer = await client.post(path, body);
      expect(answer.status, answer.text).toBe(201);
      return answer.body.data;
    };
    await made("/v1/webhooks", { url: URL_OF_NOBODY, events: ["*"] });
    const sink = { type: "http", config: { url: URL_OF_NOBODY }, active: false };
    await made("/v1/sinks", sink);
    const events = Array.from({ length: 5 }, () => ({ action: "a.b" }));
    await made("/v1/events/batch", { events });
    for (const name of ["second", "third"]) await made("/v1/api-keys", { name });
    await made("/v1/widget-tokens", {});
    for (let n = 0; n < 2; n += 1) {
      const { id } = await made("/v1/exports", { format: n === 0 ? "jsonl" : "csv" });
      await eventually("the export", async () => {
        const { body } = await client.get(`/v1/exports/${id}`);
        return body.data.status === "completed";
      });
    }
    // The receiver cannot be reached, so what was queued stays pending.
    await eventually("the deliveries", async () => {
      const pending = "SELECT 1 FROM webhooks.deliveries WHERE account_id = $1 AND attempts > 0";
      return (await owner.query(pending, [accountId])).length === 3;
    });
    expect(await usageOf(client)).toMatchObject({
      plan: { name: "small" },
      events: use(5, null),
      month_events: use(5, 5),
      api_keys: use(3, 3),
      account_requests: { limit: 90 },
      widget_tokens: use(1, 8),
      widget_tokens_of_key: use(1, 2),
      webhooks: use(1, 1),
      sinks: use(1, 1),
      pending_deliveries: use(3, 3),
      pending_delivery_bytes: use(await pendingBytesOf(accountId), PENDING_BYTES),
      exports: use(2, 2),
      export_bytes: use(await bytesOf(client), 100_000),
      exports_under_way: use(0, 1),
    });
    const refused = { key: { name: "x" }, webhook: { url: URL_OF_NOBODY, events: ["*"] } };
    for (const [path, body] of [
      ["/v1/events", { action: "a.b" }],
      ["/v1/api-keys", refused.key],
      ["/v1/webhooks", refused.webhook],
      ["/v1/sinks", sink],
      ["/v1/exports", { include_proofs: true }],
    ] as const)
      expectRefused(await client.post(path, body), "plan_limit_exceeded");

    // Nothing of it is in the numbers of another account.
    const other = await newClient("small");
    expect(await usageOf(other.client)).toMatchObject({
      account_id: other.accountId,
      ...Object.fromEntries(
        [
          "events",
          "widget_tokens",
          "webhooks",
          "sinks",
          "pending_deliveries",
          "pending_delivery_bytes",
          "exports",
        ].map((name) => [name, { used: 0 }]),
      ),
      month_events: use(0, 5),
      api_keys: use(1, 3),
    });
  });

  test("an export under way, events of an earlier month, and what was deleted", async () => {
    const { client, accountId } = await newClient("everything");
    await client.post("/v1/events/batch", { events: [{ action: "a" }, { action: "b" }] });
    const past =
      "UPDATE ledger.heads SET created_at = '2020-01-31T00:00:00.000000Z' WHERE account_id = $1";
    await owner.query(past, [accountId]);
    // Another replica writes it, for an hour.
    const running = `INSERT INTO exports.jobs (account_id, id, format, include_proofs, filter_json,
      filter, head_sequence, head_hash, created_at, status, due_at)
      VALUES ($1, 'exp_1', 'csv', false, '{}', '', 2, '', '', 'running', now() + interval '1 hour')`;
    await owner.query(running, [accountId]);
    const { id } = (await client.post("/v1/widget-tokens", {})).body.data;
    await client.delete(`/v1/widget-tokens/${id}`);
    expect(await usageOf(client)).toMatchObject({
      events: use(2, null),
      month_events: { ...use(0, null), month: month() },
      widget_tokens: use(0, 10_000),
      exports: use(1, 2),
      exports_under_way: use(1, 1),
    });
    expectRefused(await client.post("/v1/exports", {}), "rate_limit_exceeded");
  });

  test("what the plan leaves out is null", async () => {
    const { client } = await newClient("narrow");
    expect(await usageOf(client)).toMatchObject({
      plan: { name: "narrow", features: ["verify", "lifecycle"] },
      webhooks: null,
      sinks: null,
      pending_deliveries: null,
      pending_delivery_bytes: null,
      exports: null,
      export_bytes: null,
      exports_under_way: null,
      events_exported_today: null,
      events_replayed_today: null,
      idempotency_hours: 72,
      retention_days: { deliveries: null, exports: null },
    });
  });

  test("the window and the scopes are those of the key that asks", async () => {
    const { client, accountId } = await newClient("everything");
    const weak = await newKey(stack.databaseUrl, accountId, ["verify"]);
    for (let n = 0; n < 4; n += 1) await client.get("/v1/events");
    expect((await usageOf(client)).requests.used).toBe(5);
    const { key, requests, account_requests: ofAccount } = await usageOf(client.as(weak.key));
    expect(ofAccount.used).toBe(6);
    expect(key).toEqual({ id: weak.keyId, scopes: ["verify"] });
    expect(requests.used).toBe(1);
    for (let n = 1; n < RATE_LIMIT_PER_MINUTE - 1; n += 1) await client.as(weak.key).get("/v1/no");
    const last = (await usageOf(client.as(weak.key))).requests;
    expect(last).toMatchObject(use(RATE_LIMIT_PER_MINUTE, RATE_LIMIT_PER_MINUTE));
    const refused = await client.as(weak.key).get("/v1/usage");
    expectRefused(refused, "rate_limit_exceeded");
    expect(Math.abs(last.resets_in - Number(refused.headers["retry-after"]))).toBeLessThan(2);
  });
});

describe("500", () => {
  test("where a service that counts cannot be reached", async () => {
    const { client } = await newClient("everything");
    const counting = stack.processes.find(({ service }) => service === "export");
    await counting?.stop();
    const answer = await client.get("/v1/usage");
    expectRefused(answer, "server_error");
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
  });
});
