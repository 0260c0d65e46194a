// Reads of a chain that was made over HTTP: pages, verification, exports. Called by compare.ts.
// The chain is made by the API and not by SQL: the checkouts that are compared may store it differently.

import { newAccount } from "@annals/testing";
import { batches, smallEvent, smallEvents } from "../bodies.ts";
import { httpLoad } from "../http-load.ts";
import type { Options } from "../options.ts";
import type { CheckoutStack } from "./checkout-stack.ts";
import { writeExport } from "../measure/exports.ts";
import { verify } from "../measure/verify.ts";
import { type Measure, timed } from "./measure.ts";
import { sliced } from "./slices.ts";

const BATCH = 100;

export function measureReads(options: Options): Measure[] {
  const { action, actor, target } = smallEvent(3);
  const deep = `before_sequence=${options.chain / 10}`;
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
      return sliced(stack, options, { ...request, paths: [`/v1/events${query}`], keys: [key] }, 1);
    },
  });
  const once = (what: string, work: (stack: CheckoutStack, key: string) => Promise<unknown>) => ({
    what,
    prepare: async (stack: CheckoutStack) => {
      const key = await keyOf(stack);
      const turn = () =>
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
      return { turn };
    },
  });
  return [
    page("pages of 50", "?limit=50"),
    page("pages of 50, deep", `?limit=50&${deep}`),
    page("pages of 50 of one actor", `?limit=50&actor_id=${actor.id}`),
    page("pages of 50 of one actor, deep", `?limit=50&actor_id=${actor.id}&${deep}`),
    page("pages of 50 of one target", `?limit=50&target_id=${target.id}`),
    page("pages of 50 of one action", `?limit=50&action=${action}`),
    page("pages of 50 of a prefix", `?limit=50&action=${action.slice(0, 3)}*`),
    page("pages of 50 of two filters", `?limit=50&actor_id=${actor.id}&action=${action}`),
    page("pages of a value that no event has", "?limit=50&actor_id=nobody"),
    once("verification", (stack, key) => verify(stack, { key, length: options.chain })),
    once("export as JSON Lines", (stack, key) =>
      writeExport(stack, key, { events: options.chain, format: "jsonl" }),
    ),
    once("export as CSV", (stack, key) =>
      writeExport(stack, key, { events: options.chain, format: "csv" }),
    ),
  ];
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
