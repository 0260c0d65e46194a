// Measures what the sealed filter index takes of events whose values rarely repeat: a year of a service with
// 20,000 actors. Called by main.ts. The long chain has small events, whose values repeat soon.

import { HttpClient, newAccount } from "@annals/testing";
import { FIRST_DECLARED, bytesText, indexBytes, timeBytes } from "../index-bytes.ts";
import { loadLongChain } from "../long-chain.ts";
import type { Bench, Result, Section } from "./bench.ts";

/** Sixteen sealed segments; a shorter depth has fewer. */
const EVENTS = 1_048_576;
const ACTORS = 20_000;
/** Of which about 740,000 occur. */
const TARGETS = 1_250_000;
const ADDRESSES = 50_000;
const ACTIONS = 60;
const YEAR_MS = 365 * 24 * 60 * 60 * 1_000;
const BEGIN = Date.UTC(2025, 0, 1);

const NAMES = ["action", "actor id", "actor type", "target id", "target type", "outcome"];
const DECLARED = [
  { path: "context.ip", name: "ip", type: "ip" },
  { path: "metadata.request_id", name: "request", type: "string" },
];

export async function measureIndexBytes(bench: Bench): Promise<Section> {
  const events = Math.min(EVENTS, bench.options.depth);
  const { accountId, key } = await newAccount(bench.databaseUrl);
  const client = new HttpClient(bench.baseUrl, key);
  for (const field of DECLARED) {
    const { status } = await client.post("/v1/search/fields", field);
    if (status !== 201) throw new Error(`${field.path} was answered with ${status}`);
  }
  client.close();
  bench.say(`loading ${events.toLocaleString("en")} events of a year`);
  await loadLongChain(bench.databaseUrl, accountId, events, (index) => eventAt(index, events));
  const fields = await indexBytes(bench.databaseUrl, accountId);
  const results: Result[] = fields.map(({ bytes, field }) => ({
    what: NAMES[field - 1] ?? (field === FIRST_DECLARED ? "an address" : "a UUID of each event"),
    figure: bytesText(bytes),
  }));
  const five = fields.reduce((sum, { bytes, field }) => sum + (field <= 5 ? bytes : 0), 0);
  const times = bytesText(await timeBytes(bench.databaseUrl, accountId));
  return {
    title: "Bytes of the filter index",
    about:
      `${events.toLocaleString("en")} events of a year in the order in which they occurred, of ` +
      `${ACTORS.toLocaleString("en")} actors, some ${(TARGETS * 0.6).toLocaleString("en")} targets and ` +
      `${ADDRESSES.toLocaleString("en")} addresses: bytes an event of the sealed index.`,
    heads: ["an event"],
    results: [
      ...results,
      { what: "action, actor and target together", figure: bytesText(five) },
      { what: "times", figure: times },
    ],
  };
}

function eventAt(index: number, events: number) {
  const any = scattered(index);
  // A tenth of the actors has half of the events.
  const actor = any % 2 === 0 ? (any >>> 1) % (ACTORS / 10) : (any >>> 1) % ACTORS;
  const target = scattered(index + events) % TARGETS;
  const noun = `noun${target % 12}`;
  return {
    action: `${noun}.verb${any % (ACTIONS / 12)}`,
    actor: { id: `user_${hex(actor)}`, type: any % 10 === 0 ? "service" : "user" },
    target: { id: `${noun}_${hex(target)}`, type: noun },
    occurred_at: new Date(BEGIN + (YEAR_MS * index) / events).toISOString().replace("Z", "000Z"),
    context: {
      ip: addressOf((any >>> 3) % ADDRESSES),
      user_agent: "Mozilla/5.0 (X11; Linux x86_64)",
    },
    metadata: { outcome: any % 25 === 0 ? "failure" : "success", request_id: uuidOf(index) },
  };
}

/** The same number for the same index, and no order among them. */
function scattered(index: number): number {
  let mixed = Math.imul(index ^ (index >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

const hex = (value: number): string => scattered(value).toString(16).padStart(8, "0");

const addressOf = (value: number): string =>
  [203, (value >>> 16) & 255, (value >>> 8) & 255, value & 255].join(".");

function uuidOf(index: number): string {
  const [one = "", two = "", three = "", four = ""] = [1, 2, 3, 4].map((part) =>
    hex(4 * index + part),
  );
  return `${one}-${two.slice(0, 4)}-4${two.slice(5)}-8${three.slice(1, 4)}-${three.slice(4)}${four}`;
}
