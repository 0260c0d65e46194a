// Guarantee: a connection to PostgreSQL that breaks after COMMIT was sent and before its answer is back loses
// nothing and doubles nothing. The client gets an error in the error shape, and a retry with the same
// idempotency key gets the events as they were stored.

import type { Stack } from "@annals/local";
import { eventually } from "@annals/testing";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { startConstellation } from "../constellation.ts";
import { type Cut, CUTS, PostgresProxy, type Stored } from "./postgres-proxy.ts";
import { report } from "./report.ts";
import { allServing, processesOf, retryFaults, startTestbed, type Testbed } from "./testbed.ts";

const { cuts } = inject("form").lostAcknowledgements;
const WRITERS = 16;
/** Between two cuts: enough for a ledger to know the head again. */
const STORED_BETWEEN = 40;
/** Under load the next append is there within milliseconds. */
const CUT_WITHIN_MS = 30_000;

let database: Stack;
let proxy: PostgresProxy;
let bed: Testbed;

beforeAll(async () => {
  // PostgreSQL alone: its address is known before the ledgers start.
  database = await startConstellation({
    without: ["gateway", "keys", "ledger", "export", "webhook-dispatcher", "nats"],
  });
  const { databaseUrl } = database;
  proxy = await PostgresProxy.start(databaseUrl);
  bed = await startTestbed({
    databaseUrl,
    env: { ledger: { ANNALS_DATABASE_URL: proxy.through(databaseUrl) } },
  });
});
afterAll(async () => {
  await bed?.stop();
  await proxy?.close();
  await database?.stop();
});

async function cutOnce(how: Cut): Promise<Stored> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("nothing was stored")), CUT_WITHIN_MS);
  return Promise.race([proxy.cutNext(how), late.promise]).finally(() => clearTimeout(timer));
}

// Two ledgers that write to one chain lock its head and commit; one alone stores in a single statement.
test.each<[string, Stored]>([
  ["two ledgers", "commit"],
  ["one ledger", "statement"],
])(`%s: ${cuts / 2} connections cut after the %s was sent`, async (ledgers, usual) => {
  const [, second] = processesOf(bed.stack, "ledger");
  if (ledgers === "one ledger") await second?.stop();
  else second?.start();
  await allServing(bed.stack);
  const { load, chain, audit } = await bed.account();
  let acknowledged = 0;
  const writers = load({ onOutcome: (_, { stored }) => (acknowledged += stored ? 1 : 0) });
  writers.start(WRITERS);
  const seen: Stored[] = [];
  for (let n = 0; n < cuts / 2; n += 1) {
    const from = acknowledged;
    await eventually("the writers go on", () => acknowledged >= from + STORED_BETWEEN);
    seen.push(await cutOnce(CUTS[n % CUTS.length] ?? "closed"));
  }
  await writers.stop();
  expect(seen).toContain(usual);
  const refused = writers.appends.filter(({ outcomes }) => !outcomes[0]?.stored);
  expect(refused.length).toBeGreaterThanOrEqual(cuts / 2);
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
  const cut = cutOnce("answer thrown away");
  const { refused } = await client.one();
  await cut;
  expect(refused?.status).toBe(500);
  const [, append] = client.appends;
  if (append === undefined) throw new Error("nothing was sent");
  expect((await client.send(append)).stored).toBeDefined();
  expect((await audit(client.appends)).join("; ")).toContain("stored more than once: 1");
});
