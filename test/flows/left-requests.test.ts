// Guarantee: what a client has left stops. Whichever read it asked for, in whichever service, its statement
// is gone from PostgreSQL and its share of the gateway is free at once, long before any timeout.

import type { Stack } from "@annals/local";
import { eventually, type HttpClient, newClient, ownerOf, type TestAccount } from "@annals/testing";
import { request } from "node:http";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { startConstellation } from "../system/constellation.ts";
import { metricOf } from "../system/metric-of.ts";

/** Far below the timeout of a statement and the deadline of a call, on however busy a machine. */
const STOPPED_WITHIN_MS = 4_000;

let stack: Stack;
let owner: ReturnType<typeof ownerOf>;
/** Holds the locks: its transaction needs a connection of its own. */
let lock: pg.Client;
let account: TestAccount & { readonly client: HttpClient };
let eventId: string;
let webhookId: string;

beforeAll(async () => {
  stack = await startConstellation({ shared: inject("stack"), without: ["nats"] });
  owner = ownerOf(stack.databaseUrl);
  lock = new pg.Client({ connectionString: stack.databaseUrl });
  await lock.connect();
  account = await newClient(stack);
  eventId = (await account.client.post("/v1/events", { action: "a" })).body.data.id;
  const webhook = { url: "https://receiver.invalid/", events: ["*"] };
  webhookId = (await account.client.post("/v1/webhooks", webhook)).body.data.id;
});
afterAll(async () => {
  await lock?.end();
  await owner?.close();
  await stack?.stop();
});

/** Whether a statement of that name waits for a lock. */
const isWaiting = async (statement: string): Promise<boolean> => {
  const rows = await owner.query(
    `SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND starts_with(query, $1)`,
    [`/* ${statement} */`],
  );
  return rows.length > 0;
};

test.each<[statement: string, table: string, path: () => string]>([
  ["ledger.list-events-descending", "ledger.events", () => "/v1/events"],
  ["ledger.get-search-ends", "ledger.events", () => "/v1/events?action=a"],
  ["ledger.get-event", "ledger.events", () => `/v1/events/${eventId}`],
  ["ledger.read-ends", "ledger.heads", () => "/v1/verify"],
  ["exports.list-jobs", "exports.jobs", () => "/v1/exports"],
  ["webhooks.list-webhooks", "webhooks.webhooks", () => "/v1/webhooks"],
  ["webhooks.list-deliveries", "webhooks.deliveries", () => `/v1/webhooks/${webhookId}/deliveries`],
  ["keys.list-widget-tokens", "keys.widget_tokens", () => "/v1/widget-tokens"],
])("%s", async (statement, table, path) => {
  const [gateway] = stack.processes.filter(({ service }) => service === "gateway");
  const held = () => metricOf(gateway?.adminUrl, "annals_edge_held");
  await lock.query("BEGIN");
  try {
    await lock.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    const headers = { authorization: `Bearer ${account.key}` };
    const left = request(`${stack.baseUrls[0]}${path()}`, { headers }).on("error", () => {});
    left.end();
    await eventually("the statement waits", () => isWaiting(statement));
    left.destroy();
    await vi.waitFor(async () => {
      expect(await isWaiting(statement)).toBe(false);
      expect(await held()).toBe(0);
    }, STOPPED_WITHIN_MS);
  } finally {
    await lock.query("ROLLBACK");
  }
});
