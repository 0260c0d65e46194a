// Guarantees: each epoch continues the head log, has the heads that all accounts had then, and is signed once,
// whichever replica closes it and wherever another one was stopped. No epoch is skipped, and none is closed
// where history went back, or over heads that were changed.

import { createLog } from "@annals/chassis";
import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import {
  append,
  checkpointText,
  EMPTY_TREE,
  entryHash,
  type Head,
  parseEntry,
  parseNote,
  pathFromBuckets,
  readBuckets,
  rootOf,
  verifyHead,
  verifyNote,
} from "@annals/tlog";
import { beforeEach, describe, expect, test } from "vitest";
import { GrownChains } from "../append/grown-chains.ts";
import { NEVER } from "../testing/block-fixtures.ts";
import { aroundPool, newLedgerDatabase, openPool } from "../testing/database.ts";
import { LogSigner, ORIGIN } from "../testing/log-signer.ts";
import { appendOf, openLedger, SetClock, type TestLedger } from "../testing/test-ledger.ts";
import { EpochCloser } from "./epoch-closer.ts";
import { TreeBuilder } from "./tree-builder.ts";

const [FIRST, SECOND, THIRD] = ["acct_1", "acct_2", "acct_3"];
const INTERVAL_S = 60;
const START = "2026-05-10T12:00:00.000000Z";

let owner: TestDatabase;
let ledger: TestLedger;
let signer: LogSigner;
let clock: SetClock;
let trees: TreeBuilder;

beforeEach(async () => {
  owner = await newLedgerDatabase();
  ledger = openLedger(owner);
  signer = new LogSigner();
  clock = new SetClock(START);
  const log = createLog({ service: "test", level: "error" }, { write: () => {} });
  const none = () => {};
  trees = new TreeBuilder({
    database: openPool(owner.url),
    grown: new GrownChains(),
    log,
    lag: none,
    mismatched: none,
  });
});

async function grow(accountId: string, events: number): Promise<void> {
  await ledger.client.createEvents({ appends: [appendOf(accountId, events)] });
  while ((await trees.run(NEVER)) === 0);
}

function later(seconds: number): void {
  clock.text = `${new Date(Date.parse(clock.text) + seconds * 1e3).toISOString().slice(0, -1)}000Z`;
}

let closers = 0;

function newCloser(around: (pool: Pool) => Pool = (pool) => pool, keys = signer.client) {
  let rolledBack = 0;
  const ages: number[] = [];
  closers += 1;
  const closer = new EpochCloser({
    clock,
    closer: `closer ${closers}`,
    database: aroundPool(openPool(owner.url), around),
    intervalS: INTERVAL_S,
    isServedAtOnce: true,
    keys,
    log: createLog({ service: "test", level: "error" }, { write: () => {} }),
    metrics: {
      age: (seconds) => ages.push(seconds),
      duration: () => {},
      rolledBack: () => (rolledBack += 1),
    },
    origin: undefined,
  });
  return { ages, rolledBack: () => rolledBack, run: () => closer.run() };
}

/** Lets the claim of a process that has ended lapse. */
const endClaim = () => owner.query("UPDATE ledger.logs SET closer_until = '-infinity'");

interface EpochRow {
  readonly epoch: string;
  readonly entry: string;
  readonly checkpoint: string;
  readonly buckets: Buffer | null;
}

/** Checks the log as a whole, and resolves to its epochs. */
async function checkedEpochs(): Promise<EpochRow[]> {
  const epochs = await owner.query<EpochRow>("SELECT * FROM ledger.epochs ORDER BY epoch");
  let tree = EMPTY_TREE;
  for (const [at, { buckets, checkpoint, entry, epoch }] of epochs.entries()) {
    expect(Number(epoch)).toBe(at + 1);
    tree = append(tree, [entryHash(Buffer.from(entry))]);
    const note = parseNote(checkpoint);
    verifyNote(note, signer.keysOf(""));
    expect(note.text).toBe(checkpointText({ origin: ORIGIN, size: tree.size, root: rootOf(tree) }));
    const said = parseEntry(entry);
    expect(said.epoch).toBe(at + 1);
    if (said.kind !== "heads" || buckets === null) continue;
    for (const head of await headsOf(epoch)) {
      const { siblings } = pathFromBuckets(readBuckets(buckets), head.chain, await headsOf(epoch));
      verifyHead(said.heads, head, siblings);
    }
  }
  const [log] = await owner.query<{ size: string; root: Buffer; proposal: string | null }>(
    "SELECT size, root, proposal FROM ledger.logs",
  );
  if (log)
    expect([Number(log.size), log.root, log.proposal]).toEqual([tree.size, rootOf(tree), null]);
  // Only one head of each size was ever signed.
  const sizes = new Map(signer.signed.map((note) => [note.split("\n")[1], note]));
  expect(new Set(signer.signed).size).toBe(sizes.size);
  return epochs;
}

async function headsOf(epoch: string): Promise<Head[]> {
  const rows = await owner.query<{ account_id: string; size: string; root: Buffer }>(
    `SELECT DISTINCT ON (account_id) account_id, size, root FROM ledger.account_heads
     WHERE epoch <= $1 ORDER BY account_id, ledger.account_heads.epoch DESC`,
    [epoch],
  );
  return rows.map(({ account_id: chain, root, size }) => ({ chain, size: Number(size), root }));
}

const sizesIn = async (epoch: string) =>
  Object.fromEntries((await headsOf(epoch)).map(({ chain, size }) => [chain, size]));

test("each epoch has the heads of all accounts, and full tiles are stored", async () => {
  const closer = newCloser();
  for (let epoch = 1; epoch <= 260; epoch += 1) {
    await grow([FIRST, SECOND, THIRD][epoch % 3] ?? FIRST, 1);
    await closer.run();
    later(INTERVAL_S);
  }
  const epochs = await checkedEpochs();
  expect(epochs).toHaveLength(260);
  expect(await sizesIn("5")).toEqual({ [FIRST]: 1, [SECOND]: 2, [THIRD]: 2 });
  const leaves = epochs.slice(0, 256).map(({ entry }) => entryHash(Buffer.from(entry)));
  const root = rootOf(append(EMPTY_TREE, leaves));
  expect(await owner.query("SELECT level, tile, root, hashes FROM ledger.log_tiles")).toEqual([
    { level: 0, tile: "0", root, hashes: Buffer.concat(leaves) },
  ]);
}, 60_000);

test("an epoch follows the interval if a chain grew, and an hour if none did", async () => {
  const closer = newCloser();
  await grow(FIRST, 1);
  const runAfter = async (seconds: number) => {
    later(seconds);
    await closer.run();
    return (await checkedEpochs()).length;
  };
  expect(await runAfter(0)).toBe(1);
  await grow(FIRST, 1);
  expect(await runAfter(INTERVAL_S - 1)).toBe(1);
  expect(await runAfter(1)).toBe(2);
  expect(await runAfter(3_539)).toBe(2);
  expect(await runAfter(61)).toBe(3);
  expect(await owner.query("SELECT count(*)::integer FROM ledger.account_heads")).toEqual([
    { count: 2 },
  ]);
  expect(closer.ages).toContain(INTERVAL_S - 1);
});

test("without a log key there is no log", async () => {
  signer.seeds.length = 0;
  await grow(FIRST, 1);
  await newCloser().run();
  expect(await owner.query("SELECT * FROM ledger.logs")).toEqual([]);
});

test("the first epoch waits for the trees of what is older than the log", async () => {
  const closer = newCloser();
  await ledger.client.createEvents({ appends: [appendOf(FIRST, 3)] });
  await closer.run();
  expect(await checkedEpochs()).toEqual([]);
  while ((await trees.run(NEVER)) === 0);
  await closer.run();
  expect(await checkedEpochs()).toHaveLength(1);
  expect(await sizesIn("1")).toEqual({ [FIRST]: 3 });
});

describe("a replica that is stopped", () => {
  const STEPS = [
    "ledger.propose",
    "ledger.create-account-heads",
    "ledger.create-log-tiles",
    "ledger.create-epoch",
    "ledger.close-epoch",
    "sign",
  ];

  test.each(STEPS.flatMap((step) => [[step, "before"] as const, [step, "after"] as const]))(
    "at %s, %s it: another one ends its epoch",
    async (step, when) => {
      const stop = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
        if (name === step && when === "before") throw new Error("stopped");
        const result = await work();
        if (name === step) throw new Error("stopped");
        return result;
      };
      const survivor = newCloser();
      await grow(FIRST, 2);
      await grow(SECOND, 1);
      // The next epoch is the one that fills a tile.
      for (let epoch = 1; epoch < (step === "ledger.create-log-tiles" ? 256 : 2); epoch += 1) {
        await survivor.run();
        later(2 * 3_600);
      }
      await grow(FIRST, 1);
      await endClaim();
      const stopped = newCloser(
        (pool) => ({
          ...pool,
          run: (statement, params) =>
            stop(statement.name, () => pool.run(statement, params)) as Promise<never>,
        }),
        {
          ...signer.client,
          signEpoch: (request) => stop("sign", () => signer.client.signEpoch(request)),
        },
      );
      await expect(stopped.run()).rejects.toThrow("stopped");
      // What the other one does not know yet.
      await grow(THIRD, 1);
      await endClaim();
      await survivor.run();
      later(INTERVAL_S);
      await survivor.run();
      const epochs = await checkedEpochs();
      const last = epochs.at(-1)?.epoch ?? "";
      expect(await sizesIn(last)).toEqual({ [FIRST]: 3, [SECOND]: 1, [THIRD]: 1 });
    },
    60_000,
  );
});

test("replicas at once close each epoch once, even if each takes it for its own", async () => {
  // A claim saves work. What makes an epoch the only one is its proposal.
  const claiming = (pool: Pool): Pool => ({
    ...pool,
    run: async (statement, params) => {
      const rows = await pool.run(statement, params);
      return statement.name === "ledger.claim-epochs" ? ([{ log: 1 }] as never) : rows;
    },
  });
  const replicas = [newCloser(claiming), newCloser(claiming), newCloser(claiming)];
  for (let round = 0; round < 20; round += 1) {
    await grow(FIRST, 1);
    await Promise.all([...replicas.map((each) => each.run()), grow(SECOND, 1)]);
    await checkedEpochs();
    later(INTERVAL_S);
  }
  expect((await checkedEpochs()).length).toBeGreaterThanOrEqual(20);
  expect(await sizesIn("99")).toMatchObject({ [FIRST]: 20 });
});

describe("history that went back", () => {
  test("a log that lacks what keys has signed gets no epoch", async () => {
    const closer = newCloser();
    for (let epoch = 1; epoch <= 3; epoch += 1) {
      await grow(FIRST, 1);
      await closer.run();
      later(INTERVAL_S);
    }
    await owner.query("DELETE FROM ledger.epochs WHERE epoch = 3");
    await owner.query("DELETE FROM ledger.account_heads WHERE epoch = 3");
    const [second] = await owner.query<{ entry: string }>("SELECT entry FROM ledger.epochs");
    const leaves = await owner.query<EpochRow>("SELECT entry FROM ledger.epochs ORDER BY epoch");
    const tree = append(
      EMPTY_TREE,
      leaves.map(({ entry }) => entryHash(Buffer.from(entry))),
    );
    expect(second).toBeDefined();
    await owner.query("UPDATE ledger.logs SET size = 2, root = $1, frontier = $2", [
      rootOf(tree),
      Buffer.concat(tree.hashes),
    ]);
    await endClaim();
    const restored = newCloser();
    await restored.run();
    expect(restored.rolledBack()).toBe(1);
    expect(await owner.query("SELECT * FROM ledger.epochs")).toHaveLength(2);
  });

  test("a rewritten log is not continued", async () => {
    const closer = newCloser();
    for (let epoch = 1; epoch <= 3; epoch += 1) {
      await grow(FIRST, 1);
      await closer.run();
      later(INTERVAL_S);
    }
    const { size } = signer.head;
    signer.head = { size, root: Buffer.alloc(32, 9) };
    await grow(FIRST, 1);
    await closer.run();
    expect(closer.rolledBack()).toBe(1);
    expect(await owner.query("SELECT * FROM ledger.epochs")).toHaveLength(3);
  });

  test("a signer that has an older head is led to the newest", async () => {
    const closer = newCloser();
    const heads = [signer.head];
    for (let epoch = 1; epoch <= 5; epoch += 1) {
      await grow(FIRST, 1);
      await closer.run();
      heads.push(signer.head);
      later(INTERVAL_S);
    }
    signer.head = heads[2] ?? expect.fail("no head");
    await grow(FIRST, 1);
    await closer.run();
    expect(closer.rolledBack()).toBe(0);
    expect(await checkedEpochs()).toHaveLength(6);
  });
});

test("heads that were changed end the epochs of a process that begins", async () => {
  await grow(FIRST, 1);
  await newCloser().run();
  await owner.query("UPDATE ledger.account_heads SET size = 7");
  later(INTERVAL_S);
  await grow(FIRST, 1);
  await endClaim();
  await expect(newCloser().run()).rejects.toThrow("are not those of epoch 1");
});

test("a key that joins is named by the next entry, and signs with the others", async () => {
  const closer = newCloser();
  await grow(FIRST, 1);
  await closer.run();
  signer.seeds.unshift(Buffer.alloc(32, 2));
  await grow(FIRST, 1);
  for (let run = 0; run < 2; run += 1) {
    later(INTERVAL_S);
    await closer.run();
  }
  const epochs = await checkedEpochs();
  expect(epochs.map(({ entry }) => parseEntry(entry).kind)).toEqual(["heads", "key", "heads"]);
  expect(parseNote(epochs.at(-1)?.checkpoint ?? "").signatures).toHaveLength(2);
  expect(await sizesIn("3")).toEqual({ [FIRST]: 2 });
});
