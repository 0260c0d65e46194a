// Guarantee: kill -9 of a ledger, a keys or a gateway in the middle of a thousand concurrent appends loses
// nothing that was acknowledged and stores nothing twice; what was not acknowledged is wholly there or not
// at all, and a retry with the same idempotency key stores it exactly once.

import type { StackProcess } from "@annals/local";
import { randomInt } from "node:crypto";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { burstWith, feltBy, isRoundDue, usualBurstMs } from "./burst.ts";
import type { SentAppend } from "../system/load.ts";
import { report } from "../system/report.ts";
import {
  allServing,
  processesOf,
  retryFaults,
  startTestbed,
  type Testbed,
} from "../system/testbed.ts";

const { rounds, appends } = inject("form").serviceCrash;
const VICTIMS = ["ledger", "keys", "gateway"] as const;

let bed: Testbed;

beforeAll(async () => {
  bed = await startTestbed();
});
afterAll(() => bed?.stop());

test(`${rounds} rounds of ${appends} concurrent appends, a process killed in each`, async () => {
  const usualMs = await usualBurstMs(await bed.account(), appends);
  const sent: SentAppend[] = [];
  let retries = 0;
  for (let round = 0; isRoundDue(round, rounds, sent); round += 1) {
    const victims = processesOf(bed.stack, VICTIMS[round % VICTIMS.length] ?? "ledger");
    const victim = victims[randomInt(victims.length)] as StackProcess;
    const killAtMs = randomInt(usualMs);
    const burst = await burstWith(bed, appends, killAtMs, () => {
      expect(victim.kill("SIGKILL")).toBe(true);
    });
    const before = await bed.chain();
    const retried = await burst.retryUnacknowledged();
    sent.push(...burst.appends);
    retries += retried.length;
    const what = `round ${round}: ${victim.service} ${victim.index} killed after ${killAtMs} ms`;
    expect(retryFaults(retried, before), what).toStrictEqual([]);
    await allServing(bed.stack);
    expect(await bed.audit(sent), what).toStrictEqual([]);
  }
  const unacknowledged = feltBy(sent);
  expect(unacknowledged).toBeGreaterThan(0);
  report({ rounds: sent.length / appends, appends: sent.length, unacknowledged, retries });
});
