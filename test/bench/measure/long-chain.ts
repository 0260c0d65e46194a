// Measures pages of `GET /v1/events` at the head of a long chain and deep in it, one filter at a time. Called
// by main.ts.

import { newAccount } from "@annals/testing";
import { smallEvent } from "../bodies.ts";
import { costText, marked } from "../cpu.ts";
import { loadLongChain } from "../long-chain.ts";
import { untilQuiet } from "../quiet.ts";
import { timeOf } from "../rows.ts";
import { type Bench, type Result, type Section, multiple, time } from "./bench.ts";
import { type Costed, loadAtOnce } from "./load.ts";
import { interleaved, medians, medianRatio } from "./interleaved.ts";

/** Events below the deep page, so that it is full with any filter. */
const BELOW = 60_000;

export interface Chain {
  readonly key: string;
  readonly length: number;
}

export function makeLongChain(bench: Bench): Promise<Chain> {
  return makeChain(bench, bench.options.depth + BELOW);
}

export async function makeChain(bench: Bench, length: number): Promise<Chain> {
  bench.say(`loading a chain of ${length.toLocaleString("en")} events`);
  const { accountId, key } = await newAccount(bench.databaseUrl);
  const begun = performance.now();
  await loadLongChain(bench.databaseUrl, accountId, length);
  bench.say(`loaded in ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
  await untilQuiet(bench);
  return { key, length };
}

export async function measureLists(bench: Bench, chain: Chain): Promise<Section> {
  const results: Result[] = [];
  for (const [name, head, deep] of pagesOf(chain.length)) {
    bench.say(`GET /v1/events, ${name}`);
    const [atHead, deeper] = await interleaved(bench.options.turns, [
      () => readPages(bench, chain, head),
      () => readPages(bench, chain, deep),
    ]);
    results.push({
      what: marked(name, deeper),
      figure: time(medians(atHead).p50Ms),
      p50: time(medians(deeper).p50Ms),
      ratio: multiple(medianRatio("p50Ms", deeper, atHead)),
      cost: costText(deeper),
    });
  }
  return {
    title: "Lists",
    about:
      `One connection, pages of 50, in descending order by default, from a chain of ` +
      `${chain.length.toLocaleString("en")} small events: p50 at the head, and with ` +
      `${bench.options.depth.toLocaleString("en")} events between there and the page. ` +
      "Each filter matches many events. The CPU time is of the deep page.",
    heads: ["p50 at the head", "p50 deep", "deep / head"],
    costOf: "a page",
    results,
  };
}

/** The name of each filter, and the query at the head and deep. */
function pagesOf(length: number): [string, head: string, deep: string][] {
  const { action, actor, target } = smallEvent(3);
  const deep = `before_sequence=${BELOW}`;
  const filters = {
    action: action,
    "action, prefix": `${target.type}.*`,
    actor_id: actor.id,
    actor_type: "service",
    target_id: target.id,
    target_type: target.type,
  };
  const oldTime = encodeURIComponent(timeOf(BELOW));
  const newTime = encodeURIComponent(timeOf(length - BELOW));
  return [
    ["no filter", "", deep],
    ...Object.entries(filters).map(([name, value]): [string, string, string] => {
      const query = `${name.split(",")[0]}=${encodeURIComponent(value)}`;
      return [name, query, `${query}&${deep}`];
    }),
    [
      "occurred_from",
      `occurred_from=${newTime}`,
      `occurred_from=${encodeURIComponent(timeOf(1))}&${deep}`,
    ],
    ["occurred_to", `occurred_to=${encodeURIComponent(timeOf(length))}`, `occurred_to=${oldTime}`],
    [
      "occurred_from, ascending",
      `order=asc&occurred_from=${encodeURIComponent(timeOf(1))}`,
      `order=asc&occurred_from=${newTime}`,
    ],
    [
      "occurred_to, ascending",
      `order=asc&occurred_to=${oldTime}`,
      `order=asc&occurred_to=${encodeURIComponent(timeOf(length))}&after_sequence=${length - BELOW}`,
    ],
    [
      "occurred_from and occurred_to",
      `occurred_from=${newTime}&occurred_to=${encodeURIComponent(timeOf(length))}`,
      `occurred_from=${encodeURIComponent(timeOf(1))}&occurred_to=${oldTime}`,
    ],
    ["after_sequence", `after_sequence=${length - BELOW}`, `after_sequence=1&${deep}`],
  ];
}

function readPages(bench: Bench, { key }: Chain, query: string): Promise<Costed> {
  const { baseUrl, options } = bench;
  return loadAtOnce(bench, {
    baseUrl,
    method: "GET",
    paths: [`/v1/events${query && `?${query}`}`],
    bodies: [],
    keys: [key],
    connections: 1,
    warmUpMs: options.warmUpMs / 20,
    measureMs: options.measureMs / 4,
    maxRequests: Math.ceil(options.samples / options.turns),
    status: 200,
  });
}
