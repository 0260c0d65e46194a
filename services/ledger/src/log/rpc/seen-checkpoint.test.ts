// Guarantees: a checkpoint that a key of the log has signed, and that the log does not have, stops its
// epochs for every process, counts as a rollback, and prevents newer epochs from being served. Nothing else
// stops them: no size that a witness names, no signature of another key, and no checkpoint that the log has.
// Appends go on.

import { noteSigner, noteText, parseEntry } from "@annals/tlog";
import { beforeEach, describe, expect, test } from "vitest";
import { ORIGIN } from "../../testing/log-signer.ts";
import { INTERVAL_S, TestLog } from "../../testing/test-log.ts";
import { newWitness } from "../../testing/witnesses.ts";

const ACCOUNT = "acct_1";
const WITNESS = newWitness("w1", 11);
const POLICY = `witness w1 ${WITNESS.vkey}\nquorum w1\n`;

let log: TestLog;
let closer: ReturnType<TestLog["newCloser"]>;

beforeEach(async () => {
  log = await TestLog.open();
  closer = log.newCloser();
});

async function epochs(count: number, by = closer): Promise<void> {
  for (let epoch = 0; epoch < count; epoch += 1) {
    await log.grow(ACCOUNT, 1);
    log.later(INTERVAL_S);
    await by.run();
  }
}

const add = (note: string) =>
  log.ledger.client.addAnchor({ log: 1, anchor: { case: "seenCheckpoint", value: note } });

/** What a witness has kept of the log. */
const kept = (size: number) => log.signer.signed[size - 1] ?? expect.fail("not signed");

/** A checkpoint as the log would have signed it. */
function signed(size: number, root: Buffer, seed = log.signer.seeds[0] ?? Buffer.alloc(0)): string {
  const text = `${ORIGIN}\n${size}\n${root.toString("base64")}\n`;
  return noteText({ text, signatures: [noteSigner(ORIGIN, seed).sign(text)] });
}

const stored = async () => (await log.owner.query("SELECT FROM ledger.epochs")).length;
const newestNote = async () => (await log.ledger.client.listAnchorWork({})).checkpoint;

async function rollbacks(): Promise<number> {
  const found = /^annals_log_rollback_total\S* (\d+)$/m.exec(await log.ledger.metricsText());
  return Number(found?.[1]);
}

const OTHER_ROOT = Buffer.alloc(32, 9);

describe("epochs stop for", () => {
  test("a larger checkpoint than the log has, in every process, and it is counted once", async () => {
    await epochs(4);
    const seen = kept(4);
    // keys forgets, too.
    log.signer.head = { size: 0, root: Buffer.alloc(0) };
    await log.restoreTo(2);
    expect(await rollbacks()).toBe(0);
    for (let time = 0; time < 3; time += 1) await add(seen);
    expect(await rollbacks()).toBe(1);
    await epochs(2);
    await log.endClaim();
    const other = log.newCloser();
    await epochs(1, other);
    expect([await stored(), closer.rolledBack(), other.rolledBack()]).toEqual([2, 2, 1]);
  });

  test.each([3, 2, 1])("a checkpoint of size %i with another root", async (size) => {
    await epochs(3);
    await add(signed(size, OTHER_ROOT));
    await epochs(1);
    expect([await stored(), closer.rolledBack()]).toEqual([3, 1]);
  });

  test("a process that has read the log before: it proposes nothing", async () => {
    await epochs(1);
    const late = log.newCloser((pool) => ({
      ...pool,
      run: async (statement, params) => {
        if (statement.name === "ledger.propose") await add(signed(7, OTHER_ROOT));
        return pool.run(statement, params);
      },
    }));
    await log.endClaim();
    await epochs(1, late);
    expect(await stored()).toBe(1);
  });

  test("and no further epoch is served, although a quorum signs it", async () => {
    log.ledger.policy.use(POLICY);
    await epochs(2);
    await add(signed(2, OTHER_ROOT));
    const anchor = { case: "cosignatures", value: WITNESS.sign(await newestNote()) } as const;
    await log.ledger.client.addAnchor({ log: 1, size: 2n, anchor });
    await epochs(1);
    const served = await log.owner.query("SELECT FROM ledger.epochs WHERE quorum_at IS NOT NULL");
    expect(served).toEqual([]);
  });

  test("the largest of several, which a log that follows names", async () => {
    await epochs(1);
    for (const size of [5, 9, 7]) await add(signed(size, OTHER_ROOT));
    const [row] = await log.owner.query("SELECT missing FROM ledger.logs");
    expect(row).toEqual({ missing: signed(9, OTHER_ROOT) });
  });
});

describe("epochs go on", () => {
  test("after a checkpoint that the log has", async () => {
    await epochs(3);
    for (const size of [1, 2, 3]) await add(kept(size));
    await epochs(1);
    expect([await stored(), await rollbacks()]).toEqual([4, 0]);
  });

  test("after what no key of the log has signed for this log", async () => {
    await epochs(2);
    const [own] = log.signer.seeds;
    const ofOther = `log.example/other\n9\n${OTHER_ROOT.toString("base64")}\n`;
    const other = noteSigner("log.example/other", own ?? Buffer.alloc(0)).sign(ofOther);
    const disguised = noteSigner(ORIGIN, own ?? Buffer.alloc(0)).sign(ofOther);
    const right = signed(9, OTHER_ROOT);
    for (const note of [
      "9\n",
      "",
      signed(9, OTHER_ROOT, Buffer.alloc(32, 77)),
      right.replace(`${ORIGIN}\n9\n`, `${ORIGIN}\n8\n`),
      noteText({ text: ofOther, signatures: [other] }),
      noteText({ text: ofOther, signatures: [disguised] }),
      `${right.split("\n\n", 1)[0]}\n\n${WITNESS.sign(right)}`,
      right + "— x AAAAAAAA\n".repeat(6_000),
    ])
      await expect(add(note)).rejects.toThrow("seen_checkpoint: ");
    await epochs(1);
    expect([await stored(), await rollbacks(), closer.rolledBack()]).toEqual([3, 0, 0]);
  });

  test("with the stored proposal that a failover has left, once it is signed again", async () => {
    await epochs(2);
    const failing = log.newCloser((pool) => ({
      ...pool,
      run: (statement, params) => {
        if (statement.name === "ledger.create-epoch") throw new Error("failed over");
        return pool.run(statement, params);
      },
    }));
    await log.endClaim();
    await expect(epochs(1, failing)).rejects.toThrow("failed over");
    await add(kept(3));
    await log.endClaim();
    await epochs(2);
    expect(await log.checkedEpochs()).toHaveLength(4);
    expect(await log.owner.query("SELECT missing FROM ledger.logs")).toEqual([{ missing: null }]);
  });

  test("in the log that follows, which has its own checkpoints", async () => {
    await epochs(2);
    await add(signed(5, OTHER_ROOT));
    await log.owner.query(
      `INSERT INTO ledger.logs (log, origin, size, root, frontier, keys)
       SELECT 2, origin || '/2', 0, root, '', keys FROM ledger.logs`,
    );
    log.signer.head = { size: 0, root: Buffer.alloc(0) };
    await epochs(1);
    const last = await log.owner.query<{ entry: string }>(
      "SELECT entry FROM ledger.epochs WHERE log = 2",
    );
    expect(last.map(({ entry }) => parseEntry(entry).epoch)).toEqual([1]);
  });
});

test("appends go on while epochs do not", async () => {
  await epochs(1);
  await add(signed(5, OTHER_ROOT));
  await log.append(ACCOUNT, 3);
  await log.growTrees();
  expect(await log.owner.query("SELECT size FROM ledger.trees")).toEqual([{ size: "4" }]);
});
