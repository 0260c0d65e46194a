// Measures what the ledger does for declared fields behind the appends: the index of older events when a
// field is declared, and an erasure whose values are taken out of the index. Called by main.ts. Both are
// measured over HTTP, from the request to what it answers when all is done, on a chain of an account's own.

import { eventually, HttpClient, newAccount } from "@annals/testing";
import { costText, marked, withCost } from "../cpu.ts";
import { loadLongChain } from "../long-chain.ts";
import { type Bench, rate, type Result, type Section } from "./bench.ts";
import { eventAt, FIELDS } from "./declared-fields.ts";

/** Two sealed segments of the filter index; a shorter depth has fewer. */
const EVENTS = 131_072;
/** One event in this many is of the actor who is erased. */
const ERASED = 8;
const ERASED_ACTOR = "user_erased";
const FIELDS_OF_ERASED = 8;
const WITHIN_MS = 600_000;

export async function measureFieldsBehind(bench: Bench): Promise<Section> {
  const events = Math.min(EVENTS, bench.options.depth);
  const results: Result[] = [];
  const chain = async () => {
    const { accountId, key } = await newAccount(bench.databaseUrl);
    await loadLongChain(bench.databaseUrl, accountId, events, erasableAt);
    return new HttpClient(bench.baseUrl, key);
  };
  bench.say("loading two chains, to declare fields and to erase");
  const [declared, none] = [await chain(), await chain()];
  const [first, ...others] = FIELDS.slice(0, FIELDS_OF_ERASED);
  const one = await costed(bench, events, () => declare(declared, [first]));
  results.push(row("backfill of an address", one));
  const more = await costed(bench, events * others.length, () => declare(declared, others));
  results.push(row(`backfill of ${others.length} further fields, together`, more));
  const erased = Math.floor(events / ERASED);
  for (const [what, client] of [
    ["erasure without declared fields", none],
    [`erasure with ${FIELDS_OF_ERASED} declared fields`, declared],
  ] as const)
    results.push(row(what, await costed(bench, erased, () => erase(client))));
  for (const client of [declared, none]) client.close();
  return {
    title: "Behind declared fields",
    about:
      `A chain of ${events.toLocaleString("en")} small events, at rest. Fields are declared: events a second and ` +
      `field until they are \`ready\`. The parts of an actor's ` +
      `${erased.toLocaleString("en")} events are erased: events a second until the erasure is \`completed\`, so its values are in ` +
      "no index and no copy.",
    heads: ["a second"],
    results,
  };
}

/** A small event, whose actor is the one to be erased in one of several. */
function erasableAt(index: number) {
  const event = eventAt(index);
  const { actor } = event;
  return index % ERASED === 0 ? { ...event, actor: { ...actor, id: ERASED_ACTOR } } : event;
}

function row(what: string, taken: Awaited<ReturnType<typeof costed>>): Result {
  return { what: marked(what, [taken]), figure: rate(taken.perSecond), cost: costText([taken]) };
}

/** What some work on this many events takes. */
async function costed({ processes, say }: Bench, events: number, work: () => Promise<void>) {
  return withCost(processes, async () => {
    const begun = performance.now();
    await work();
    const seconds = (performance.now() - begun) / 1_000;
    say(`${events.toLocaleString("en")} in ${seconds.toFixed(1)} s`);
    return { events, perSecond: events / seconds };
  });
}

/** Declares the fields, and resolves when the index has all older events of them. */
async function declare(client: HttpClient, fields: readonly (object | undefined)[]): Promise<void> {
  for (const field of fields) {
    const { status } = await client.post("/v1/search/fields", field);
    if (status !== 201) throw new Error(`a field was answered with ${status}`);
  }
  const isReady = async () => {
    const { body } = await client.get("/v1/search/fields");
    return body.data.every((field: { readonly status: string }) => field.status === "ready");
  };
  await eventually("the index has the fields", isReady, WITHIN_MS);
}

/** Erases all parts of the actor's events, and resolves when the erasure is completed. */
async function erase(client: HttpClient): Promise<void> {
  const parts = ["actor", "context", "diff", "metadata", "target"];
  const { status, body } = await client.post("/v1/erasures", {
    actor_id: ERASED_ACTOR,
    parts,
    reference: "benchmark",
  });
  if (status !== 201) throw new Error(`the erasure was answered with ${status}`);
  const isCompleted = async () => {
    const read = await client.get(`/v1/erasures/${body.data.id}`);
    return read.body.data.status === "completed";
  };
  await eventually("the erasure is completed", isCompleted, WITHIN_MS);
}
