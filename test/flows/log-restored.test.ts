// Guarantees: where the database is set back to an earlier moment, and keys or a witness remembers more of
// the log, epochs stop before a second head of one size is served; appends go on. A log that follows says
// what it cannot show: older events are late, unless the reader has a checkpoint of the old log, and a
// history that was rewritten before stays refused. A new database is no rollback, and neither is a size that
// a witness only names.

import { createMigratedDatabase, eventually, newClient, type TestDatabase } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { untilCovered } from "../system/covered.ts";
import { runVerb } from "../system/operator.ts";
import { metricOf } from "../system/metric-of.ts";
import { rewriteEvent } from "../system/rewritten-log.ts";
import { WitnessedSystem } from "../system/witnessed-system.ts";

const LONG_MS = 240_000;
const WITHIN_MS = 60_000;
const BEFORE = 3;
const LOST = 3;

const stack = inject("stack");
let system: WitnessedSystem;

/** Covers some events, backs up, covers more, and loses them. Resolves to how far the log was. */
async function loseEpochs(running: readonly string[] = []) {
  await system.cover(BEFORE, BEFORE);
  const kept = await system.keep();
  const copy = await system.backUp();
  await system.cover(LOST, BEFORE + LOST);
  const lost = await system.keep();
  const size = await system.look();
  await system.restore(copy, running);
  return { kept, lost, size };
}

/** More of the old history than the log that is left has. */
async function expectStopped(size: number): Promise<void> {
  await system.append(1);
  await system.untilRolledBack();
  const counted = await system.rollbacks();
  await system.append(1);
  await eventually(
    "it counts again",
    async () => {
      expect(await system.look()).toBeLessThanOrEqual(size);
      return (await system.rollbacks()) > counted;
    },
    WITHIN_MS,
  );
  const { body } = await system.client.get("/v1/verify");
  expect(body.data).toMatchObject({ valid: true, checked: BEFORE + 2 });
}

test(
  "set back to an earlier moment, keys on the same server forgets, and the witness remembers: what follows is late, kept, or refused",
  async () => {
    system = await WitnessedSystem.start(stack);
    onTestFinished(() => system.stop());
    const own = { client: system.client, account: system.account };
    const rewritten = await newCustomer();
    Object.assign(system, rewritten);
    await system.cover(BEFORE, BEFORE);
    const keptOfRewritten = await system.keep();
    Object.assign(system, own);
    const { kept, lost, size } = await loseEpochs();
    await expectStopped(size);
    expect(system.witnessSeen).toBe(size);
    await system.whileStopped(async () => {
      const owner = system.owner();
      await rewriteEvent(owner, rewritten.account.accountId, 2);
      await owner.close();
    });
    await succeed();
    await expectLateOrKept({ kept, lost });
    // A history that was rewritten before stays refused.
    Object.assign(system, rewritten);
    await untilCovered(system.client, BEFORE);
    const file = await system.bundle();
    // Without anything kept it is only as old as the new log.
    const { waited } = await system.report(file);
    const maxAnchorLag = Math.floor(waited?.longest ?? 0) - 1;
    expect(await system.verify(file, { maxAnchorLag })).toBe("anchored_late");
    expect(await system.verify(file, { known: [keptOfRewritten] })).toBe("checkpoint_conflict");
  },
  LONG_MS,
);

/** Another account, with its client. */
async function newCustomer(databaseUrl = system.stack.databaseUrl) {
  const made = await newClient({ baseUrls: system.stack.baseUrls, databaseUrl });
  return { client: made.client, account: made };
}

/** Begins a log that follows, and waits until it covers all that is left. */
async function succeed(): Promise<void> {
  const next = `${system.origin}/2`;
  system.knows(next);
  const succeeding = runVerb(system.stack, "ledger", "log", "succeed", "--origin", next);
  const { status, stdout } = await succeeding;
  expect([status, stdout]).toEqual([0, expect.stringMatching(`^${next} follows`)]);
  await system.cover(1, BEFORE + 3);
  const { body } = await system.client.get("/v1/log");
  expect(body.data.origin).toBe(`${next}/${system.account.accountId}`);
}

async function expectLateOrKept({ kept, lost }: Record<"kept" | "lost", string>): Promise<void> {
  const file = await system.bundle();
  const { excepted, waited } = await system.report(file);
  const all = waited ?? expect.fail("no event has waited");
  // Nothing is excepted as older than the log.
  expect([excepted, all.sequenceNumber]).toEqual([0, 1]);
  const withKept = await system.report(file, { known: [kept] });
  const old = `${system.origin}/${system.account.accountId}`;
  expect([withKept.excepted, withKept.earlierOrigins]).toEqual([BEFORE, [old]]);
  const maxAnchorLag = Math.ceil(withKept.waited?.longest ?? 0);
  expect(all.longest).toBeGreaterThan(maxAnchorLag);
  expect(await system.verify(file, { maxAnchorLag })).toBe("anchored_late");
  await system.report(file, { maxAnchorLag, known: [kept] });
  // The events that were lost are not there.
  expect(await system.verify(file, { known: [lost] })).toBe("checkpoint_conflict");
}

describe("keys on another server", () => {
  let keys: TestDatabase;

  beforeAll(async () => {
    keys = await createMigratedDatabase(stack.databaseUrl);
    const given = { keysUrl: keys.url, isRequired: false, hasExports: false };
    system = await WitnessedSystem.start(stack, given);
  }, LONG_MS);
  afterAll(async () => {
    await system?.stop();
    await keys?.drop();
  });

  test(
    "a new database is no rollback, and neither is a size that a witness only names, or an old view",
    async () => {
      await system.cover(1, 1);
      const { witness } = system;
      await eventually("a first signature", () => system.witnessSeen > 0, WITHIN_MS);
      const seen = witness.seen.get(system.origin) ?? expect.fail("nothing was seen");
      // It names a size, and its view is one that the log has.
      const named = { ...seen.checkpoint, size: 1_000_000 };
      witness.seen.set(system.origin, { ...seen, checkpoint: named });
      const dispatcher = system.stack.processes.find(
        ({ service }) => service === "webhook-dispatcher",
      );
      const outcomes = "annals_log_witness_requests_total";
      const conflicts = () => metricOf(dispatcher?.adminUrl, outcomes, 'outcome="conflict"');
      await eventually(
        "two conflicts",
        async () => {
          await system.append(1);
          return (await conflicts()) > 1;
        },
        WITHIN_MS,
      );
      const { body } = await system.client.get("/v1/verify");
      await system.cover(1, Number(body.data.checked) + 1);
      expect(await system.rollbacks()).toBe(0);
    },
    LONG_MS,
  );

  test(
    "it remembers, without a witness, where the database is set back to an earlier moment",
    async () => {
      await system.witness.stop();
      Object.assign(system, await newCustomer(keys.url));
      const { size } = await loseEpochs(["keys"]);
      await expectStopped(size);
    },
    LONG_MS,
  );
});
