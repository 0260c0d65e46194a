// Guarantee: each answer of AdmitRequests has the time of the database, also one without keys, by which
// gateways compare their clocks. None has it while the clock of keys is wrong: neither is then known to be
// right.

import { createRegistry } from "@annals/chassis";
import { ComparedClock, formatMicros, systemClock } from "@annals/contract";
import { AdmitRequestsRequestSchema } from "@annals/proto/keys";
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { UNLIMITED_PLANS } from "../../accounts/rules/plan.ts";
import { createMetrics } from "../../metrics.ts";
import { admitRequests } from "./admit-requests.ts";
import { IDENTITIES } from "../../testing/people.ts";

const US_PER_S = 1_000_000;
const LIMITS = {
  rateLimitPerMinute: 10,
  logRateLimitPerMinute: 10,
  intakeRateLimitPerMinute: 10,
  widgetRateLimitPerMinute: 10,
  personRateLimitPerMinute: 7,
  identities: IDENTITIES,
};
const none = (): void => {};

/** A process whose clock is `aheadS` ahead of the right one; the clock of its database is 2 s behind that. */
function keys() {
  const state = { aheadS: 0 };
  const right = systemClock();
  const nowMicros = () => right.nowMicros() + state.aheadS * US_PER_S;
  const clock = new ComparedClock({ nowMicros, nowText: () => formatMicros(nowMicros()) });
  const compare = () => clock.begin()(right.nowMicros() - 2 * US_PER_S);
  const handle = admitRequests({
    ...LIMITS,
    admissions: { issue: () => "" },
    clock,
    database: { run: () => Promise.reject(new Error("no key was asked for")) },
    metrics: createMetrics(createRegistry("keys")),
    plans: UNLIMITED_PLANS,
    refused: { otherAddress: none, rateLimited: none, unknownKey: none },
    lastUses: { note: none },
  });
  const timeUs = async () =>
    (await handle(create(AdmitRequestsRequestSchema, {}), {} as HandlerContext)).databaseTimeUs;
  return { compare, right, state, timeUs };
}

test("an answer has the time of the database, unless it is not known", async () => {
  const { compare, right, state, timeUs } = keys();
  expect(await timeUs()).toBe(0n);
  const before = right.nowMicros();
  compare();
  const time = Number(await timeUs()) + 2 * US_PER_S;
  const after = right.nowMicros();
  // A comparison is wrong by no more than it takes, and a clock of processes by a millisecond.
  const wrong = after - before + 1_000;
  expect(time).toBeGreaterThan(before - wrong);
  expect(time).toBeLessThan(after + wrong);
  for (const aheadS of [3_600, -3_600]) {
    state.aheadS = aheadS;
    expect(await timeUs()).toBe(0n);
  }
  state.aheadS = 0;
  expect(await timeUs()).toBeGreaterThan(0n);
});
