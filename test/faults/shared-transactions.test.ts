// Guarantee: kill -9 of the ledger or of PostgreSQL while the chains of many accounts share transactions
// loses nothing that was acknowledged on any of them, and stores nothing twice.

import { eventually } from "@annals/testing";
import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { metricOf } from "../system/metric-of.ts";
import type { Load, SentAppend } from "../system/load.ts";
import { report } from "../system/report.ts";
import { runningPostgres } from "./running-postgres.ts";
import {
  allServing,
  processesOf,
  retryFaults,
  startTestbed,
  type Testbed,
} from "../system/testbed.ts";

const { rounds, accounts } = inject("form").sharedTransactions;
/** Of each account, each with one event in flight. */
const WRITERS = 2;
/** From the first transaction that chains share in a round to the kill. */
const KILLED_WITHIN_MS = 300;

let bed: Testbed;

beforeAll(async () => {
  // One ledger: it knows every head.
  bed = await startTestbed({ replicas: { gateway: 2, keys: 2, ledger: 1 } });
});
afterAll(() => bed?.stop());

/** Statements for several chains of the ledger that runs. */
function sharedStatements(): Promise<number> {
  const [ledger] = processesOf(bed.stack, "ledger");
  return metricOf(
    ledger?.adminUrl,
    "db_client_operation_duration_seconds_count",
    '"ledger.append-to-chains"',
  );
}

async function kill(round: number): Promise<string> {
  if (round % 2 === 0) {
    expect(processesOf(bed.stack, "ledger")[0]?.kill("SIGKILL")).toBe(true);
    return "ledger";
  }
  const postgres = await runningPostgres(bed);
  postgres.kill(round % 4 === 1);
  await postgres.gone();
  return "PostgreSQL";
}

test(`${rounds} rounds of appends to ${accounts} chains, the ledger or PostgreSQL crashed in each`, async () => {
  const chains = await Promise.all(
    Array.from({ length: accounts }, async () => ({
      ...(await bed.account()),
      sent: [] as SentAppend[],
    })),
  );
  let shared = 0;
  let retries = 0;
  for (let round = 0; round < rounds; round += 1) {
    const before = await sharedStatements();
    const loads: Load[] = chains.map(({ load }) => load());
    for (const load of loads) load.start(WRITERS);
    await eventually("chains share transactions", async () => (await sharedStatements()) > before);
    await pause(randomInt(KILLED_WITHIN_MS));
    shared += (await sharedStatements()) - before;
    const victim = await kill(round);
    await allServing(bed.stack);
    await Promise.all(loads.map((load) => load.stop()));
    for (const [index, { chain, audit, sent }] of chains.entries()) {
      const load = loads[index] as Load;
      const there = await chain();
      const retried = await load.retryUnacknowledged();
      retries += retried.length;
      sent.push(...load.appends);
      const what = `round ${round}, ${victim} killed, chain ${index}`;
      expect(retryFaults(retried, there), what).toStrictEqual([]);
      expect(await audit(sent), what).toStrictEqual([]);
    }
  }
  const sent = chains.flatMap((chain) => chain.sent);
  const felt = sent.filter(({ outcomes }) => !outcomes[0]?.stored).length;
  expect(felt).toBeGreaterThan(0);
  report({ rounds, shared, appends: sent.length, unacknowledged: felt, retries });
});
