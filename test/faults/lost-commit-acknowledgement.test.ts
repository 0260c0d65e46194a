// Guarantee: a connection to PostgreSQL that breaks after COMMIT was sent and before its answer is back loses
// nothing and doubles nothing. The client gets an error in the error shape, and a retry with the same
// idempotency key gets the events as they were stored.

import type { Stack } from "@annals/local";
import { eventually, type Fate, openProxy, type Proxy } from "@annals/testing";
import type { Socket } from "node:net";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { startConstellation } from "../system/constellation.ts";
import { report } from "../system/report.ts";
import {
  addGatewayOfEachLedger,
  allServing,
  processesOf,
  retryFaults,
  startTestbed,
  type Testbed,
} from "../system/testbed.ts";

const { cuts } = inject("form").lostAcknowledgements;
const WRITERS = 16;
/** Between two cuts: enough for a ledger to know the head again. */
const STORED_BETWEEN = 40;
/** Where none of the cuts was of the usual kind, there are more: so many times as many at most. */
const MAX_TIMES = 10;
/** Under load the next append is there within milliseconds. */
const CUT_WITHIN_MS = 30_000;

/**
 * What becomes of a connection to PostgreSQL: its answer is thrown away, so the events are stored for sure;
 * or both ends are closed or reset in the moment in which the last byte was written, so it is unknown.
 */
const CUTS = ["cut", "close", "reset"] as const;
type Cut = (typeof CUTS)[number];

/** What was cut: the statement that stores events by itself, or the COMMIT after it. */
type Stored = "statement" | "commit";

const STORES_EVENTS = /\0ledger\.append-(events|to-chains)\0/;
/** The last message of a statement (PostgreSQL 18, chapter 54). */
const SYNC = "S\0\0\0\u0004";

let database: Stack;
let proxy: Proxy;
let bed: Testbed;

beforeAll(async () => {
  // PostgreSQL alone: its address is known before the ledgers start.
  database = await startConstellation({
    without: ["gateway", "keys", "ledger", "export", "webhook-dispatcher", "nats"],
  });
  const { databaseUrl } = database;
  proxy = await openProxy(databaseUrl);
  proxy.onRequest = fateOf;
  bed = await startTestbed({
    databaseUrl,
    env: { ledger: { ANNALS_DATABASE_URL: proxy.url } },
  });
});
afterAll(async () => {
  await bed?.stop();
  proxy?.close();
  await database?.stop();
});

/** What stores events and is not over, or a transaction that has stored none yet. */
const open = new WeakMap<Socket, "transaction" | Stored>();
let armed: { readonly how: Cut; readonly resolve: (what: Stored) => void } | undefined;

function fateOf(chunk: Buffer, client: Socket): Fate {
  const text = chunk.toString("latin1");
  if (text.includes("BEGIN ")) open.set(client, "transaction");
  if (STORES_EVENTS.test(text)) open.set(client, open.has(client) ? "commit" : "statement");
  const what = open.get(client);
  const isOver = what === "statement" ? text.endsWith(SYNC) : /(COMMIT|ROLLBACK)\0/.test(text);
  if (!isOver) return "pass";
  open.delete(client);
  if (!armed || !what || what === "transaction" || text.includes("ROLLBACK\0")) return "pass";
  const { how, resolve } = armed;
  armed = undefined;
  resolve(what);
  return how;
}

/** Cuts the next connection that stores events, and resolves when it has sent the last byte of that. */
async function cutOnce(how: Cut): Promise<Stored> {
  const { promise, reject, resolve } = Promise.withResolvers<Stored>();
  armed = { how, resolve };
  const timer = setTimeout(() => reject(new Error("nothing was stored")), CUT_WITHIN_MS);
  return promise.finally(() => clearTimeout(timer));
}

// Ledgers that write to one chain lock its head and commit; one alone stores in a single statement.
test.each<[string, Stored]>([
  ["one ledger", "statement"],
  ["several ledgers", "commit"],
])(`%s: ${cuts / 2} connections cut after the %s was sent`, async (ledgers, usual) => {
  const [, ...others] = processesOf(bed.stack, "ledger");
  if (ledgers === "one ledger") for (const one of others) await one.stop();
  else {
    for (const one of others) one.start();
    for (const one of others) await one.waitReady();
    await addGatewayOfEachLedger(bed.stack);
  }
  await allServing(bed.stack);
  const { load, chain, audit } = await bed.account();
  let acknowledged = 0;
  const writers = load({ onOutcome: (_, { stored }) => (acknowledged += stored ? 1 : 0) });
  writers.start(WRITERS);
  const seen: Stored[] = [];
  const isDue = () =>
    seen.length < cuts / 2 || (!seen.includes(usual) && seen.length < (MAX_TIMES * cuts) / 2);
  for (let n = 0; isDue(); n += 1) {
    const from = acknowledged;
    await eventually("the writers go on", () => acknowledged >= from + STORED_BETWEEN);
    seen.push(await cutOnce(CUTS[n % CUTS.length] ?? "close"));
  }
  await writers.stop();
  expect(seen).toContain(usual);
  const refused = writers.appends.filter(({ outcomes }) => !outcomes[0]?.stored);
  expect(refused.length).toBeGreaterThanOrEqual(seen.length);
  // Their own connections were not cut: each got its answer.
  expect(refused.filter(({ outcomes }) => outcomes[0]?.unanswered !== undefined)).toStrictEqual([]);
  const before = await chain();
  const there = new Set(before.map(({ marker }) => marker));
  const retried = await writers.retryUnacknowledged();
  expect(retryFaults(retried, before)).toStrictEqual([]);
  expect(await audit(writers.appends)).toStrictEqual([]);
  const stored = refused.filter(({ marker }) => there.has(marker)).length;
  expect(stored).toBeGreaterThan(0);
  report({
    cuts: seen.length,
    "of commits": seen.filter((what) => what === "commit").length,
    appends: writers.appends.length,
    refused: refused.length,
    "refused and stored": stored,
    retries: retried.length,
  });
});

test("control: sent again without an idempotency key the event is there twice, and the consistency check finds it", async () => {
  await allServing(bed.stack);
  const { load, audit } = await bed.account();
  const client = load({ isIdempotent: () => false });
  await client.one();
  const cut = cutOnce("cut");
  const { refused } = await client.one();
  await cut;
  expect(refused?.status).toBe(500);
  const [, append] = client.appends;
  if (append === undefined) throw new Error("nothing was sent");
  expect((await client.send(append)).stored).toBeDefined();
  expect((await audit(client.appends)).join("; ")).toContain("stored more than once: 1");
});
