// Guarantees: each epoch continues the head log, has the heads that all accounts had then, and is signed
// once, whichever replica closes it and wherever another one was stopped. No epoch is skipped, and none is
// closed while the clock is wrong.

import type { Pool } from "@annals/postgres";
import { append, EMPTY_TREE, entryHash, rootOf } from "@annals/tlog";
import { beforeEach, describe, expect, test } from "vitest";
import { INTERVAL_S, TestLog } from "../../testing/test-log.ts";

const [FIRST, SECOND, THIRD] = ["acct_1", "acct_2", "acct_3"];

let log: TestLog;

beforeEach(async () => {
  log = await TestLog.open();
});

test("each epoch has the heads of all accounts, and full tiles are stored", async () => {
  const closer = log.newCloser();
  const close = async (from: number, to: number): Promise<void> => {
    for (let epoch = from; epoch <= to; epoch += 1) {
      await log.grow([FIRST, SECOND, THIRD][epoch % 3] ?? FIRST, 1);
      await closer.run();
      log.later(INTERVAL_S);
    }
  };
  await close(1, 6);
  await log.ageTo(253);
  await close(254, 260);
  const epochs = await log.checkedEpochs();
  expect(epochs).toHaveLength(260);
  expect(await log.sizesIn("5")).toEqual({ [FIRST]: 1, [SECOND]: 2, [THIRD]: 2 });
  const leaves = epochs.slice(0, 256).map(({ entry }) => entryHash(Buffer.from(entry)));
  const root = rootOf(append(EMPTY_TREE, leaves));
  expect(await log.owner.query("SELECT level, tile, root, hashes FROM ledger.log_tiles")).toEqual([
    { level: 0, tile: "0", root, hashes: Buffer.concat(leaves) },
  ]);
});

test("none is closed while the clock is wrong: its time would be in the log permanently", async () => {
  const closer = log.newCloser();
  await log.grow(FIRST, 1);
  log.setFault("a day ahead");
  await closer.run();
  expect(await log.checkedEpochs()).toHaveLength(0);
  log.setFault(undefined);
  await closer.run();
  expect(await log.checkedEpochs()).toHaveLength(1);
});

test("an epoch follows the interval if a chain grew, and an hour if none did", async () => {
  const closer = log.newCloser();
  await log.grow(FIRST, 1);
  const runAfter = async (seconds: number) => {
    log.later(seconds);
    await closer.run();
    return (await log.checkedEpochs()).length;
  };
  expect(await runAfter(0)).toBe(1);
  await log.grow(FIRST, 1);
  expect(await runAfter(INTERVAL_S - 1)).toBe(1);
  expect(await runAfter(1)).toBe(2);
  expect(await runAfter(3_539)).toBe(2);
  expect(await runAfter(61)).toBe(3);
  expect(await log.owner.query("SELECT count(*)::integer FROM ledger.account_heads")).toEqual([
    { count: 2 },
  ]);
  expect(closer.ages).toContain(INTERVAL_S - 1);
});

test("while no chain grows, looks are 15 seconds apart, until an event is appended", async () => {
  const { run, silence } = log.newCloser();
  await log.grow(FIRST, 1);
  await run();
  log.later(INTERVAL_S);
  expect(silence.end()).toBe(false);
  expect([await run(), await run(), await run()]).toEqual([5_000, 15_000, 15_000]);
  expect([silence.end(), silence.end()]).toEqual([true, false]);
  // Its tree may not have grown yet.
  expect(await run()).toBe(5_000);
  await log.grow(FIRST, 1);
  await run();
  expect(await log.checkedEpochs()).toHaveLength(2);
});

test("all trees grow shortly before an epoch is due, and not before; each replica lets its own grow", async () => {
  const [closer, other] = [log.newCloser(), log.newCloser()];
  await log.grow(FIRST, 1);
  await closer.run();
  await other.run();
  const before = [closer.made(), other.made()];
  log.later(INTERVAL_S - 6);
  // The next look is when the trees have to grow.
  expect(await closer.run()).toBe(1_000);
  await other.run();
  expect([closer.made(), other.made()]).toEqual(before);
  log.later(1);
  expect(await closer.run()).toBe(5_000);
  await other.run();
  expect([closer.made(), other.made()]).toEqual(before.map((made) => made + 1));
});

test("without a log key there is no log", async () => {
  log.signer.seeds.length = 0;
  await log.grow(FIRST, 1);
  await log.newCloser().run();
  expect(await log.owner.query("SELECT * FROM ledger.logs")).toEqual([]);
});

test("the first epoch waits for the trees of what is older than the log", async () => {
  const closer = log.newCloser();
  await log.append(FIRST, 3);
  await closer.run();
  expect(await log.checkedEpochs()).toEqual([]);
  await log.growTrees();
  await closer.run();
  expect(await log.checkedEpochs()).toHaveLength(1);
  expect(await log.sizesIn("1")).toEqual({ [FIRST]: 3 });
});

describe("a replica that is stopped", () => {
  const STEPS = [
    "ledger.create-proposed-heads",
    "ledger.propose",
    "ledger.create-account-head",
    "ledger.create-log-tiles",
    "ledger.create-epoch",
    "ledger.close-epoch",
    "ledger.delete-proposed-heads",
    "sign",
  ];

  test.each(STEPS.flatMap((step) => [[step, "before"] as const, [step, "after"] as const]))(
    "at %s, %s it: another one ends its epoch",
    async (step, when) => {
      const stop = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
        // The heads of several accounts are stored together where tables are not distributed.
        const isStep = name === step || name === `${step}s`;
        if (isStep && when === "before") throw new Error("stopped");
        const result = await work();
        if (isStep) throw new Error("stopped");
        return result;
      };
      const survivor = log.newCloser();
      await log.grow(FIRST, 2);
      await log.grow(SECOND, 1);
      await survivor.run();
      // The next epoch is the one that fills a tile.
      if (step === "ledger.create-log-tiles") await log.ageTo(255);
      log.later(2 * 3_600);
      await log.grow(FIRST, 1);
      await log.endClaim();
      const stopped = log.newCloser(
        (pool) => ({
          ...pool,
          run: (statement, params) =>
            stop(statement.name, () => pool.run(statement, params)) as Promise<never>,
        }),
        {
          ...log.signer.client,
          signEpoch: (request) => stop("sign", () => log.signer.client.signEpoch(request)),
        },
      );
      await expect(stopped.run()).rejects.toThrow("stopped");
      // What the other one does not know yet.
      await log.grow(THIRD, 1);
      await log.endClaim();
      await survivor.run();
      log.later(INTERVAL_S);
      await survivor.run();
      const epochs = await log.checkedEpochs();
      const last = epochs.at(-1)?.epoch ?? "";
      expect(await log.sizesIn(last)).toEqual({ [FIRST]: 3, [SECOND]: 1, [THIRD]: 1 });
      expect(await log.owner.query("SELECT * FROM ledger.proposed_heads")).toEqual([]);
    },
  );
});

test("control: if the proposal was not stored, another entry is made, which keys refuses, and no epoch follows", async () => {
  await log.grow(FIRST, 1);
  const stopped = log.newCloser(undefined, {
    ...log.signer.client,
    signEpoch: async (request) => {
      await log.signer.client.signEpoch(request);
      throw new Error("stopped");
    },
  });
  await expect(stopped.run()).rejects.toThrow("stopped");
  await log.owner.query("UPDATE ledger.logs SET proposal = NULL, proposal_heads = NULL");
  await log.endClaim();
  await log.grow(SECOND, 1);
  const survivor = log.newCloser();
  await survivor.run();
  log.later(INTERVAL_S);
  await survivor.run();
  expect(survivor.rolledBack()).toBe(2);
  expect(await log.owner.query("SELECT FROM ledger.epochs")).toEqual([]);
});

/** A process that takes each epoch for its own: a claim saves work, and makes no epoch the only one. */
const claiming = (pool: Pool): Pool => ({
  ...pool,
  run: async (statement, params) => {
    const rows = await pool.run(statement, params);
    return statement.name === "ledger.claim-epochs" ? ([{ log: 1 }] as never) : rows;
  },
});

test("a replica whose epoch is closed by another one meanwhile goes on; heads that are lost are an error", async () => {
  const other = log.newCloser(claiming);
  let before: () => Promise<unknown> = async () => {};
  const replica = log.newCloser((pool) => ({
    ...claiming(pool),
    run: async (statement, params) => {
      if (statement.name === "ledger.get-proposed-heads") await before();
      return claiming(pool).run(statement, params);
    },
  }));
  await log.grow(FIRST, 1);
  before = () => other.run();
  await replica.run();
  expect(await log.checkedEpochs()).toHaveLength(1);
  log.later(INTERVAL_S);
  await log.grow(FIRST, 1);
  before = () => log.owner.query("DELETE FROM ledger.proposed_heads");
  await expect(replica.run()).rejects.toThrow("the heads that are proposed for epoch 2 are gone");
});

test("replicas at once close each epoch once, even if each takes it for its own", async () => {
  const replicas = [log.newCloser(claiming), log.newCloser(claiming), log.newCloser(claiming)];
  for (let round = 0; round < 20; round += 1) {
    await log.grow(FIRST, 1);
    await Promise.all([...replicas.map((each) => each.run()), log.grow(SECOND, 1)]);
    await log.checkedEpochs();
    log.later(INTERVAL_S);
  }
  expect((await log.checkedEpochs()).length).toBeGreaterThanOrEqual(20);
  expect(await log.sizesIn("99")).toMatchObject({ [FIRST]: 20 });
});
