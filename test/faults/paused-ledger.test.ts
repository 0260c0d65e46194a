// Guarantee: while a ledger is paused in the middle of a transaction (SIGSTOP: no connection ends, nothing
// is answered, the head of the chain stays locked), appends go on through the others within a bounded time;
// when it goes on (SIGCONT), it neither forks the chain nor loses or doubles anything.

import type { StackProcess } from "@annals/local";
import { eventually, HttpClient } from "@annals/testing";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { metricOf } from "../system/metric-of.ts";
import type { Load, SentAppend } from "../system/load.ts";
import { report } from "../system/report.ts";
import { processesOf, retryFaults, startTestbed, type Testbed } from "../system/testbed.ts";

const { stoppedMs } = inject("form").pausedLedger;
const WRITERS = 32;
const APPENDS_BETWEEN = 500;
/**
 * What a paused ledger may cost. Its connections time out after 4 s, PostgreSQL ends its transaction
 * after 3 s. The silences of a busy machine before the pause are the control: each of the steps until appends
 * go on may take one.
 */
const GOES_ON_WITHIN_MS = 8_000;
const STEPS = 5;
/** Of the control, in which all ledgers are paused. */
const ALL_STOPPED_MS = 2_000;
/** A transaction that has waited so long for its client waits for one that is paused. */
const STILL_AFTER = "100 milliseconds";
const STOP_ATTEMPTS = 50;

let bed: Testbed;

beforeAll(async () => {
  bed = await startTestbed();
});
afterAll(() => bed?.stop());

/** The longest time between `from` and `to` in which no append was acknowledged. */
function longestSilenceMs(appends: readonly SentAppend[], from: number, to: number): number {
  const at = appends
    .flatMap(({ outcomes }) => outcomes.filter(({ stored }) => stored !== undefined))
    .map(({ sentAt, tookMs }) => sentAt + tookMs)
    .filter((time) => time > from && time < to)
    .sort((one, other) => one - other);
  return Math.max(...[...at, to].map((time, index) => time - (at[index - 1] ?? from)));
}

/** Resolves when so many more were acknowledged. */
async function flowing({ appends }: Load, more = APPENDS_BETWEEN): Promise<void> {
  const count = () => appends.filter(({ outcomes }) => outcomes[0]?.stored).length;
  const from = count();
  await eventually("appends flow", () => count() >= from + more, 30_000);
}

/** Stops the process at a moment at which it has begun a transaction. */
async function stopInTransaction(ledger: StackProcess): Promise<void> {
  for (let attempt = 0; attempt < STOP_ATTEMPTS; attempt += 1) {
    expect(ledger.kill("SIGSTOP")).toBe(true);
    await bed.owner.query("SELECT pg_sleep(extract(epoch FROM $1::interval) * 1.5)", [STILL_AFTER]);
    const waiting = await bed.owner.query(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'annals-ledger'
       AND state = 'idle in transaction' AND state_change < now() - $1::interval`,
      [STILL_AFTER],
    );
    if (waiting.length > 0) return;
    expect(ledger.kill("SIGCONT")).toBe(true);
    await pause(Math.random() * 50);
  }
  throw new Error("the ledger was never stopped in a transaction");
}

/**
 * Writers by two ledgers, whose appends lock the head, and the ledger that every gateway but one has chosen
 * for the account.
 */
async function contend() {
  const ledgers = processesOf(bed.stack, "ledger");
  const groups = () =>
    Promise.all(
      ledgers.map(({ adminUrl }) => metricOf(adminUrl, "annals_append_group_size_count")),
    );
  const chooser = bed.load();
  // Each ledger also appends the audit entries of any account, so an append counts when only one ledger grew.
  const active = await eventually("one ledger alone appends an event", async () => {
    const before = await groups();
    const { stored } = await chooser.one();
    const after = await groups();
    const grown = ledgers.filter((_, index) => (after[index] ?? 0) > (before[index] ?? 0));
    return stored !== undefined && grown.length === 1 && grown[0];
  });
  const other = ledgers.find((ledger) => ledger !== active);
  if (other === undefined) throw new Error("there are no two ledgers");
  const address = { ANNALS_LEDGER_ADDRESS: `ipv4:${other.rpcAddress}` };
  const { baseUrl = "" } = await bed.stack.addReplica("gateway", address);
  const second = new HttpClient(baseUrl, bed.key);
  const writers = bed.load({ clients: [...bed.clients, second] });
  const close = () => second.close();
  return { active, writers, appends: () => [...chooser.appends, ...writers.appends], close };
}

test(`a ledger that has locked the head is paused for ${stoppedMs / 1_000} s under load`, async () => {
  const { chain, audit } = bed;
  const { active, appends, close, writers } = await contend();
  onTestFinished(close);
  writers.start(WRITERS);
  await flowing(writers);
  const started = performance.now();
  await flowing(writers);
  const usualMs = longestSilenceMs(writers.appends, started, performance.now());
  await stopInTransaction(active);
  const from = performance.now();
  await pause(stoppedMs);
  const to = performance.now();
  expect(active.kill("SIGCONT")).toBe(true);
  await flowing(writers);
  await writers.stop();

  const before = await chain();
  const retried = await writers.retryUnacknowledged();
  expect(retryFaults(retried, before)).toStrictEqual([]);
  expect(await audit(appends())).toStrictEqual([]);

  const silentMs = longestSilenceMs(writers.appends, from, to);
  const goesOnWithinMs = GOES_ON_WITHIN_MS + STEPS * usualMs;
  expect(silentMs).toBeLessThan(goesOnWithinMs);
  const refused = writers.appends.filter(({ outcomes }) => !outcomes[0]?.stored);
  const lateRefused = refused.filter(
    ({ outcomes }) => (outcomes[0]?.sentAt ?? 0) > from + goesOnWithinMs,
  );
  expect(lateRefused).toStrictEqual([]);
  report({
    "silent for ms": silentMs,
    appends: writers.appends.length,
    refused: refused.length,
    retries: retried.length,
  });
});

test("control: while all ledgers are paused nothing is acknowledged, and the test fails", async () => {
  const ledgers = processesOf(bed.stack, "ledger");
  const writers = bed.load();
  writers.start(WRITERS);
  await flowing(writers);
  for (const ledger of ledgers) ledger.kill("SIGSTOP");
  const from = performance.now();
  await pause(ALL_STOPPED_MS);
  const to = performance.now();
  for (const ledger of ledgers) ledger.kill("SIGCONT");
  await writers.stop();
  // What was in flight may still arrive.
  expect(longestSilenceMs(writers.appends, from, to)).toBeGreaterThan(ALL_STOPPED_MS / 2);
});
