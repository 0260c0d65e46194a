// The dearest request of each route that is known, for the test of what requests cost. Called once, on an
// account with a chain of searched-chain.ts.

import { type Answer, type HttpClient, newAccount } from "@annals/testing";
import { newToken } from "../system/widget-client.ts";
import { NO_ACTION, NO_TIME, NOTHING } from "./searched-chain.ts";
import type { Testbed } from "../system/testbed.ts";

export interface CostCase {
  readonly what: string;
  readonly isWidget?: true;
  /** Whether its answer is an empty page, and not the last one. */
  readonly isEmpty?: true;
  /** By default 200. */
  readonly status?: number;
  /** How often it is measured, where that is less than for others. */
  readonly calls?: number;
  readonly send: () => Promise<Answer>;
}

const LARGE_EVENTS = 100;
/** Near the limit of an event, 64 KiB. */
const LARGE_TEXT = "x".repeat(63_000);
const BATCH = 25;

export async function costCases(bed: Testbed): Promise<CostCase[]> {
  const { clients, stack } = bed;
  const [client] = clients as [HttpClient];
  const other = await newAccount(stack.databaseUrl);
  const large = client.as(other.key);
  const event = { action: "large", metadata: { text: LARGE_TEXT } };
  for (let at = 0; at < LARGE_EVENTS; at += BATCH)
    await large.post("/v1/events/batch", { events: Array.from({ length: BATCH }, () => event) });
  return [
    ...(await widgetCases(client, large)),
    ...listCases(client, large),
    ...writeCases(client.as((await newAccount(stack.databaseUrl)).key)),
    {
      what: "verification of the chain",
      calls: 2,
      send: () => client.get("/v1/verify"),
    },
  ];
}

async function widgetCases(client: HttpClient, large: HttpClient): Promise<CostCase[]> {
  const parts = ["actor.meta", "target.meta", "context", "diff", "metadata"];
  // Each token has a window of its own.
  const nothing = async () => (await newToken(client, { filter: NOTHING, parts })).widget;
  const all = async () => (await newToken(client, { parts })).widget;
  const [none, noTime, whole, filters] = [await nothing(), await all(), await all(), await all()];
  const noFilters = await nothing();
  const big = (await newToken(large, { parts })).widget;
  const path = "/v1/widget/events?limit=100";
  const cases: Omit<CostCase, "isWidget">[] = [
    {
      what: "widget list, actions of a prefix, none found",
      isEmpty: true,
      send: () => none.get(path),
    },
    {
      what: "widget list by time, none found",
      isEmpty: true,
      send: () => noTime.get(`${path}&${NO_TIME}`),
    },
    { what: "widget list of 100 events of 64 KB", send: () => big.get(path) },
    { what: "widget list of 100 small events", send: () => whole.get(path) },
    { what: "widget filters", send: () => filters.get("/v1/widget/filters") },
    { what: "widget filters, nothing found", send: () => noFilters.get("/v1/widget/filters") },
  ];
  return cases.map((one) => ({ ...one, isWidget: true }));
}

function listCases(client: HttpClient, large: HttpClient): CostCase[] {
  const path = "/v1/events?limit=100";
  return [
    {
      what: "list, actions of a prefix, none found",
      isEmpty: true,
      send: () => client.get(`${path}&${NO_ACTION}`),
    },
    {
      what: "list by time, none found",
      isEmpty: true,
      send: () => client.get(`${path}&${NO_TIME}`),
    },
    {
      what: "list of 100 events of 64 KB, with proofs",
      send: () => large.get(`${path}&include=proof`),
    },
    { what: "list of 100 small events", send: () => client.get(path) },
    { what: "list by an actor of all events", send: () => client.get(`${path}&actor_id=u_1`) },
    { what: "usage", send: () => client.get("/v1/usage") },
    { what: "list of exports", send: () => client.get("/v1/exports?limit=100") },
    { what: "list of webhooks", send: () => client.get("/v1/webhooks") },
    { what: "list of API keys", send: () => client.get("/v1/api-keys") },
  ];
}

function writeCases(client: HttpClient): CostCase[] {
  const escapes = { action: "a", metadata: { text: "\u0001".repeat(10_000) } };
  const batch = JSON.stringify({ events: Array.from({ length: 60 }, () => escapes) });
  const tiny = { events: Array.from({ length: 1_000 }, () => ({ action: "a" })) };
  return [
    { what: "one event", status: 201, send: () => client.post("/v1/events", { action: "a" }) },
    {
      what: "batch of 1,000 tiny events",
      status: 201,
      send: () => client.post("/v1/events/batch", tiny),
    },
    {
      what: `batch of ${(batch.length / 1e6).toFixed(1)} MB of escapes`,
      status: 201,
      calls: 5,
      send: () => client.post("/v1/events/batch", batch),
    },
  ];
}
