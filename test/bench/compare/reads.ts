// Reads of a chain that was made over HTTP: a page, one event, verification, an export. Called by compare.ts.
// The chain is made by the API and not by SQL: the checkouts that are compared may store it differently.

import { HttpClient, newAccount } from "@annals/testing";
import { setTimeout as pause } from "node:timers/promises";
import { batches, smallEvent, smallEvents } from "../bodies.ts";
import { httpLoad } from "../http-load.ts";
import type { Options } from "../options.ts";
import type { CheckoutStack } from "./checkout-stack.ts";
import { checkpoint } from "./checkpoint.ts";
import type { Measure, Turn } from "./measure.ts";

const BATCH = 100;
const POLL_MS = 50;

export function measureReads(options: Options): Measure[] {
  const { actor } = smallEvent(3);
  /** By stack: the key of its chain. Made once, by the first measure that needs it. */
  const keys = new Map<CheckoutStack, Promise<string>>();
  const keyOf = (stack: CheckoutStack): Promise<string> => {
    const key = keys.get(stack) ?? makeChain(stack, options.chain);
    keys.set(stack, key);
    return key;
  };
  const page = (what: string, query: string): Measure => ({
    what,
    prepare: async (stack) => {
      const key = await keyOf(stack);
      const request = { method: "GET", bodies: [], connections: 1, status: 200 } as const;
      const { turnWarmUpMs: warmUpMs, turnMs: measureMs } = options;
      return () =>
        timed(stack, async () => {
          const { baseUrl } = stack;
          const paths = [`/v1/events${query}`];
          const load = { ...request, baseUrl, paths, keys: [key], warmUpMs, measureMs };
          const figures = await httpLoad(load);
          const pages = figures.perSecond * ((warmUpMs + measureMs) / 1_000);
          return { ...figures, events: pages };
        });
    },
  });
  const once = (what: string, work: (stack: CheckoutStack, key: string) => Promise<void>) => ({
    what,
    prepare: async (stack: CheckoutStack) => {
      const key = await keyOf(stack);
      return () =>
        timed(stack, async () => {
          const begun = performance.now();
          await work(stack, key);
          const ms = performance.now() - begun;
          return {
            perSecond: (options.chain / ms) * 1_000,
            p50Ms: ms,
            p99Ms: ms,
            events: options.chain,
          };
        });
    },
  });
  return [
    page("pages of 50", "?limit=50"),
    page("pages of 50 of one actor", `?limit=50&actor_id=${actor.id}`),
    once("verification", verify),
    once("export as JSON Lines", (stack, key) => writeExport(stack, key, "jsonl")),
    once("export as CSV", (stack, key) => writeExport(stack, key, "csv")),
  ];
}

async function timed(
  { cpuSeconds, databaseUrl }: CheckoutStack,
  work: () => Promise<Omit<Turn, "cpuUs"> & { readonly events: number }>,
): Promise<Turn> {
  await checkpoint(databaseUrl);
  const before = await cpuSeconds();
  const { events, ...figures } = await work();
  return { ...figures, cpuUs: (((await cpuSeconds()) - before) / events) * 1e6 };
}

async function makeChain({ baseUrl, databaseUrl }: CheckoutStack, events: number): Promise<string> {
  const { key } = await newAccount(databaseUrl);
  const bodies = batches(smallEvents(), BATCH);
  await httpLoad({
    baseUrl,
    method: "POST",
    paths: ["/v1/events/batch"],
    bodies,
    keys: [key],
    connections: 1,
    warmUpMs: 0,
    measureMs: 600_000,
    maxRequests: events / BATCH,
    status: 201,
  });
  return key;
}

async function verify({ baseUrl }: CheckoutStack, key: string): Promise<void> {
  const client = new HttpClient(baseUrl, key);
  const { body } = await client.get("/v1/verify");
  client.close();
  if (!body.data.valid) throw new Error(`the chain is not valid: ${JSON.stringify(body)}`);
}

async function writeExport(
  { baseUrl }: CheckoutStack,
  key: string,
  format: "jsonl" | "csv",
): Promise<void> {
  const client = new HttpClient(baseUrl, key);
  try {
    const created = await client.post("/v1/exports", { format, include_proofs: true, filter: {} });
    if (created.status !== 201) throw new Error(`/v1/exports was answered ${created.text}`);
    for (;;) {
      const { status } = (await client.get(`/v1/exports/${created.body.data.id}`)).body.data;
      if (status === "completed") return;
      if (status === "failed") throw new Error("the export failed");
      await pause(POLL_MS);
    }
  } finally {
    client.close();
  }
}
