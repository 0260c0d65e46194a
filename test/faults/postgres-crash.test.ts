// Guarantee: kill -9 of PostgreSQL in the middle of a thousand concurrent appends, the first process alone or
// all of them, loses nothing that was acknowledged and stores nothing twice; the services go on by
// themselves when it has recovered.

import { randomInt } from "node:crypto";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { burstWith, feltBy, isRoundDue, usualBurstMs } from "./burst.ts";
import type { SentAppend } from "../system/load.ts";
import { report } from "../system/report.ts";
import { runningPostgres } from "./running-postgres.ts";
import {
  allServing,
  answerBeforeDurable,
  retryFaults,
  startTestbed,
  type Testbed,
} from "../system/testbed.ts";

const { rounds, appends } = inject("form").postgresCrash;
const CONTROL_APPENDS = 200;

let bed: Testbed;

beforeAll(async () => {
  bed = await startTestbed();
});
afterAll(() => bed?.stop());

test(`${rounds} rounds of ${appends} concurrent appends, PostgreSQL crashed in each`, async () => {
  const services = bed.stack.processes.filter(({ adminUrl }) => adminUrl !== undefined);
  const pids = services.map((one) => one.pid());
  const usualMs = await usualBurstMs(await bed.account(), appends);
  const sent: SentAppend[] = [];
  let retries = 0;
  for (let round = 0; isRoundDue(round, rounds, sent); round += 1) {
    const killAtMs = randomInt(usualMs);
    const all = round % 2 === 1;
    const { kill, gone } = await runningPostgres(bed);
    const burst = await burstWith(bed, appends, killAtMs, () => kill(all));
    await gone();
    await allServing(bed.stack);
    const before = await bed.chain();
    const retried = await burst.retryUnacknowledged();
    sent.push(...burst.appends);
    retries += retried.length;
    const what = `round ${round}: killed after ${killAtMs} ms, ${all ? "all" : "the first"}`;
    expect(retryFaults(retried, before), what).toStrictEqual([]);
    expect(await bed.audit(sent), what).toStrictEqual([]);
  }
  const unacknowledged = feltBy(sent);
  expect(unacknowledged).toBeGreaterThan(0);
  // No service needed a restart.
  expect(services.map((one) => one.pid())).toStrictEqual(pids);
  report({ rounds: sent.length / appends, appends: sent.length, unacknowledged, retries });
});

test("control: with synchronous_commit off the consistency check finds what the crash has lost", async () => {
  await answerBeforeDurable(bed);
  const { load, audit } = await bed.account();
  const { kill, gone } = await runningPostgres(bed);
  const burst = load();
  await burst.burst(CONTROL_APPENDS);
  kill(true);
  await gone();
  await allServing(bed.stack);
  const faults = await audit(burst.appends);
  expect(faults.join("; ")).toContain("acknowledged and lost");
});
