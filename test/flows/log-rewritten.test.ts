// Guarantee: a superuser of the database who has the key of the log, too, changes an event and makes chain,
// tree, map and log anew, so that nothing in the service shows it. A checkpoint that a customer kept refuses
// what the service then gives out, and with nothing kept it is late: it could only be anchored afterwards.
// Both verifiers say so.

import { eventually } from "@annals/testing";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { untilCovered } from "../system/covered.ts";
import { forgeEpoch, rewriteEvent } from "../system/rewritten-log.ts";
import { WitnessedSystem } from "../system/witnessed-system.ts";

const EVENTS = 20;
const LONG_MS = 180_000;

let system: WitnessedSystem;

beforeAll(async () => {
  system = await WitnessedSystem.start(inject("stack"));
});
afterAll(() => system?.stop());

test(
  "event 10 is rewritten: refused against a kept checkpoint, and with nothing kept it is late",
  async () => {
    await system.cover(EVENTS, EVENTS);
    const kept = await system.keep();
    const before = await system.bundle();
    // The untouched log is valid, and says how long an event has waited.
    const { waited } = await system.report(before, { known: [kept] });
    const maxAnchorLag = Math.ceil(waited?.longest ?? expect.fail("no event has waited"));
    await system.report(before, { maxAnchorLag, known: [kept] });
    const createdMs = Date.now();
    await eventually("a rewriting that is late", () => Date.now() - createdMs > maxAnchorLag * 1e3);
    await system.whileStopped(async () => {
      const owner = system.owner();
      await rewriteEvent(owner, system.account.accountId, 10);
      await forgeEpoch(owner, system.seed, system.account.accountId);
      await owner.close();
    });
    await untilCovered(system.client, EVENTS);
    await system.cover(1, EVENTS + 1);
    const { body } = await system.client.get("/v1/verify");
    expect(body.data).toMatchObject({ valid: true, checked: EVENTS + 1 });
    const after = await system.bundle();
    // It is perfect but for its time: no head of it contradicts another.
    const report = await system.report(after);
    expect(report.waited?.longest).toBeGreaterThan(maxAnchorLag);
    expect(await system.verify(after, { maxAnchorLag })).toBe("anchored_late");
    expect(await system.verify(after, { known: [kept] })).toBe("checkpoint_conflict");
    expect(await system.rollbacks()).toBe(0);
  },
  LONG_MS,
);
