// Measures what a screen asks of a long chain: lists by declared fields, histograms and facets, over HTTP
// with one connection. Called by main.ts. The chain has two declared fields from its first event on, so no
// request waits for a backfill.

import { HttpClient, newAccount } from "@annals/testing";
import { smallEvent } from "../bodies.ts";
import { costText, marked } from "../cpu.ts";
import { bytesText, FIRST_DECLARED, indexBytes, timeBytes } from "../index-bytes.ts";
import { loadLongChain } from "../long-chain.ts";
import { untilQuiet } from "../quiet.ts";
import { timeOf } from "../rows.ts";
import { type Bench, type Result, type Section, time } from "./bench.ts";
import { loadAtOnce } from "./load.ts";
import { medians } from "./interleaved.ts";

const ADDRESSES = 50_000;
/** One event in this many has failed. */
const FAILED = 25;
/** Fields that are columns of an event, and the first of the index. */
const COLUMNS = 5;

export async function measureCounts(bench: Bench): Promise<Section> {
  const { baseUrl, databaseUrl, options } = bench;
  const { accountId, key } = await newAccount(databaseUrl);
  const client = new HttpClient(baseUrl, key);
  for (const field of [
    { path: "context.ip", name: "ip", type: "ip" },
    { path: "metadata.request_id", name: "request", type: "string" },
  ]) {
    const { status } = await client.post("/v1/search/fields", field);
    if (status !== 201) throw new Error(`${field.path} was answered with ${status}`);
  }
  client.close();
  bench.say(
    `loading a chain of ${options.depth.toLocaleString("en")} events with two declared fields`,
  );
  const begun = performance.now();
  await loadLongChain(databaseUrl, accountId, options.depth, eventAt);
  bench.say(`loaded and indexed in ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
  const sizes = await bytesOf(databaseUrl, accountId);
  await untilQuiet(bench);
  const results: Result[] = [];
  for (const [what, path] of requests(options.depth)) {
    bench.say(what);
    const request = { method: "GET", paths: [path], bodies: [], keys: [key], status: 200 } as const;
    const shape = {
      warmUpMs: options.warmUpMs / 20,
      measureMs: options.measureMs / 2,
      connections: 1,
    };
    const job = { ...request, ...shape, baseUrl, maxRequests: options.samples };
    const taken = await loadAtOnce(bench, job);
    const { p50Ms, p99Ms } = medians([taken]);
    const cost = costText([taken]);
    results.push({ what: marked(what, [taken]), figure: time(p50Ms), p99: time(p99Ms), cost });
  }
  return {
    title: "Lists by declared fields, histograms, facets",
    about:
      `One connection, a chain of ${options.depth.toLocaleString("en")} small events with declared fields for an address ` +
      `(${ADDRESSES.toLocaleString("en")} different ones) and a request id (each event its own). The first answer of each: what a ` +
      "budget cuts goes on by a cursor. The CPU time is of a request. Below, what the sealed index takes, an event.",
    heads: ["p50", "p99"],
    costOf: "a page",
    results: [...results, ...sizes],
  };
}

/** What the sealed index takes: of the five columns, of each other field, and of the times. */
async function bytesOf(databaseUrl: string, accountId: string): Promise<Result[]> {
  const fields = await indexBytes(databaseUrl, accountId);
  if (fields.length === 0) return [];
  const sum = (isIn: (field: number) => boolean) =>
    bytesText(fields.reduce((bytes, one) => bytes + (isIn(one.field) ? one.bytes : 0), 0));
  return [
    { what: "five fields", figure: sum((field) => field <= COLUMNS) },
    { what: "outcome", figure: sum((field) => field === COLUMNS + 1) },
    { what: "an address", figure: sum((field) => field === FIRST_DECLARED) },
    { what: "a request id", figure: sum((field) => field === FIRST_DECLARED + 1) },
    { what: "times", figure: bytesText(await timeBytes(databaseUrl, accountId)) },
  ];
}

/** A small event with an outcome, one of many addresses, and a request id of its own. */
function eventAt(index: number) {
  const event = smallEvent(index);
  const at = (index * 7_919) % ADDRESSES;
  return {
    ...event,
    context: { ...event.context, ip: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}` },
    metadata: { ...event.metadata, outcome: index % FAILED === 0 ? "failure" : "success" },
  };
}

/** What is measured, and its path. */
function requests(length: number): [what: string, path: string][] {
  const { action, actor } = smallEvent(3);
  const [one, ten] = [1, 10].map(
    (tenths) => `occurred_from=${minuteOf(length - Math.floor((length * tenths) / 10))}`,
  );
  const histogram = "/v1/events/histogram?interval=1d";
  return [
    ["list: a request id", `/v1/events?field.request=req_${Math.floor(length / 2)}`],
    ["list: a request id that no event has", "/v1/events?field.request=none"],
    ["list: an address", "/v1/events?field.ip=10.0.7.9"],
    ["list: a /24", "/v1/events?field.ip=10.0.7.0/24"],
    ["list: a /16 without an event", "/v1/events?field.ip=10.200.0.0/16"],
    ["list: failures of an action", `/v1/events?outcome=failure&action=${action}`],
    ["bars by day", histogram],
    ["bars by day, of an actor", `${histogram}&actor_id=${actor.id}`],
    ["bars by day, failures", `${histogram}&outcome=failure`],
    ["bars by day, by action, a tenth", `${histogram}&by=action&${one}`],
    ["bars by day, by action, all", `${histogram}&by=action&${ten}`],
    ["facet action", "/v1/events/facets?field=action"],
    ["facet outcome", "/v1/events/facets?field=outcome"],
    ["facet actor_id", "/v1/events/facets?field=actor_id"],
    ["facet address", "/v1/events/facets?field=field.ip"],
  ];
}

function minuteOf(number: number): string {
  return encodeURIComponent(`${timeOf(Math.max(1, number)).slice(0, 16)}:00Z`);
}
