// A head log within the process of a test: a ledger, its trees, a signer, and processes that close epochs,
// with a clock that the test sets. Imported by tests only.

import { createLog } from "@annals/chassis";
import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import {
  append,
  checkpointText,
  EMPTY_TREE,
  entryHash,
  entryText,
  type Frontier,
  type Head,
  nextEntry,
  parseEntry,
  parseNote,
  pathFromBuckets,
  readBuckets,
  rootOf,
  verifyHead,
  verifyNote,
} from "@annals/tlog";
import { expect, onTestFinished } from "vitest";
import { GrownChains } from "../append/grown-chains.ts";
import { EpochCloser } from "../log/worker/epoch-closer.ts";
import { EpochSilence } from "../log/worker/epoch-silence.ts";
import { TreeBuilder } from "../log/worker/tree-builder.ts";
import { aroundPool, type AtEnd, newLedgerDatabase, openPool } from "./database.ts";
import { growAllTrees } from "./grow-all-trees.ts";
import { LogSigner, ORIGIN } from "./log-signer.ts";
import { appendOf, openLedger, SetClock, type TestLedger } from "./test-ledger.ts";

export const INTERVAL_S = 60;
const S_PER_HOUR = 3_600;

export interface EpochRow {
  readonly epoch: string;
  readonly entry: string;
  readonly checkpoint: string;
  readonly buckets: Buffer | null;
}

const log = createLog({ service: "test", level: "error" }, { write: () => {} });
const none = (): void => {};
const leafOf = (entry: string): Buffer => entryHash(Buffer.from(entry));

export class TestLog {
  readonly owner: TestDatabase;
  readonly ledger: TestLedger;
  readonly signer = new LogSigner();
  readonly #clock = new SetClock("2026-05-10T12:00:00.000000Z");
  readonly #grown = new GrownChains();
  readonly #trees: TreeBuilder;
  #closers = 0;

  private constructor(owner: TestDatabase, atEnd: AtEnd) {
    this.owner = owner;
    this.ledger = openLedger(owner, this.#clock, undefined, false, undefined, this.signer, atEnd);
    this.#trees = new TreeBuilder({
      database: openPool(owner.url, { atEnd }),
      grown: this.#grown,
      log,
      lag: none,
      mismatched: none,
    });
  }

  static async open(atEnd: AtEnd = onTestFinished): Promise<TestLog> {
    return new TestLog(await newLedgerDatabase(atEnd), atEnd);
  }

  get time(): string {
    return this.#clock.text;
  }

  /** Appends to a chain without its tree. */
  async append(accountId: string, events: number): Promise<void> {
    await this.ledger.client.createEvents({ appends: [appendOf(accountId, events)] });
  }

  async grow(accountId: string, events: number): Promise<void> {
    await this.append(accountId, events);
    await this.growTrees();
  }

  growTrees(): Promise<void> {
    return growAllTrees(this.#trees, this.#grown);
  }

  /** Undefined: the clock is right. */
  setFault(reason: string | undefined): void {
    this.#clock.wrong = reason;
  }

  later(seconds: number): void {
    const at = new Date(Date.parse(this.#clock.text) + seconds * 1e3);
    this.#clock.text = at.toISOString().replace("Z", "000Z");
  }

  newCloser(
    around: (pool: Pool) => Pool = (pool) => pool,
    keys = this.signer.client,
    atEnd: AtEnd = onTestFinished,
  ) {
    let [rolledBack, made] = [0, 0];
    const silence = new EpochSilence();
    const ages: number[] = [];
    this.#closers += 1;
    const closer = new EpochCloser({
      clock: this.#clock,
      closer: `closer ${this.#closers}`,
      database: aroundPool(openPool(this.owner.url, { atEnd }), around),
      grown: { makeReady: () => (made += 1) },
      intervalS: INTERVAL_S,
      keys,
      log,
      metrics: {
        age: (seconds) => ages.push(seconds),
        duration: none,
        rolledBack: () => (rolledBack += 1),
      },
      origin: undefined,
      policy: this.ledger.policy,
      silence,
    });
    const run = (): Promise<number> => closer.run();
    return { ages, made: () => made, rolledBack: () => rolledBack, run, silence };
  }

  /**
   * Adds epochs without new heads up to this one, an hour each, as a closer stores them. The next one is then
   * due. For epochs that fill no tile.
   */
  async ageTo(epoch: number): Promise<void> {
    const rows = await this.owner.query<EpochRow>("SELECT entry FROM ledger.epochs ORDER BY epoch");
    const entries = rows.map(({ entry }) => entry);
    const last = parseEntry(entries.at(-1) ?? "");
    let tree = append(EMPTY_TREE, entries.map(leafOf));
    const added: { epoch: number; entry: string; time: string; checkpoint: string }[] = [];
    for (let size = entries.length + 1; size <= epoch; size += 1) {
      this.later(S_PER_HOUR);
      const entry = entryText({ ...last, epoch: size, time: this.time });
      const { consistency, inclusion, root, tree: next } = nextEntry(tree, leafOf(entry));
      const { checkpoint } = await this.signer.client.signEpoch({
        origin: ORIGIN,
        entry,
        size: BigInt(size),
        root,
        oldSize: BigInt(size - 1),
        consistency: [...consistency],
        inclusion: [...inclusion],
      });
      tree = next;
      added.push({ epoch: size, entry, time: this.time, checkpoint });
    }
    await this.owner.query(
      `INSERT INTO ledger.epochs (log, epoch, entry, time, checkpoint, buckets, quorum_at)
       SELECT log, added.epoch, added.entry, added.time, added.checkpoint, buckets, quorum_at
       FROM ledger.epochs, json_to_recordset($2) AS added (epoch bigint, entry text, time text, checkpoint text)
       WHERE epochs.epoch = $1`,
      [entries.length, JSON.stringify(added)],
    );
    await this.#setTree(epoch, tree);
    this.later(INTERVAL_S);
  }

  /** Sets the ledger's database back to the moment of an epoch. */
  async restoreTo(size: number): Promise<void> {
    const { owner } = this;
    for (const table of ["epochs", "account_heads"])
      await owner.query(`DELETE FROM ledger.${table} WHERE epoch > $1`, [size]);
    const epochs = await owner.query<EpochRow>("SELECT entry FROM ledger.epochs ORDER BY epoch");
    const leaves = epochs.map(({ entry }) => leafOf(entry));
    await this.#setTree(size, append(EMPTY_TREE, leaves));
    await this.endClaim();
  }

  async #setTree(size: number, tree: Frontier): Promise<void> {
    await this.owner.query("UPDATE ledger.logs SET size = $1, root = $2, frontier = $3", [
      size,
      rootOf(tree),
      Buffer.concat(tree.hashes),
    ]);
  }

  /** Lets the claim of a process that has ended lapse. */
  async endClaim(): Promise<void> {
    await this.owner.query("UPDATE ledger.logs SET closer_until = '-infinity'");
  }

  checkedEpochs(): Promise<EpochRow[]> {
    return checkedEpochs(this);
  }

  async headsOf(epoch: string): Promise<Head[]> {
    const rows = await this.owner.query<{ account_id: string; size: string; root: Buffer }>(
      `SELECT DISTINCT ON (account_id) account_id, size, root FROM ledger.account_heads
       WHERE epoch <= $1 ORDER BY account_id, ledger.account_heads.epoch DESC`,
      [epoch],
    );
    return rows.map(({ account_id: chain, root, size }) => ({ chain, size: Number(size), root }));
  }

  async sizesIn(epoch: string): Promise<Record<string, number>> {
    return Object.fromEntries((await this.headsOf(epoch)).map(({ chain, size }) => [chain, size]));
  }
}

/** Expects that the log is right as a whole, and resolves to its epochs. */
async function checkedEpochs(whole: TestLog): Promise<EpochRow[]> {
  const epochs = await whole.owner.query<EpochRow>("SELECT * FROM ledger.epochs ORDER BY epoch");
  let tree = EMPTY_TREE;
  for (const [at, { buckets, checkpoint, entry, epoch }] of epochs.entries()) {
    expect(Number(epoch)).toBe(at + 1);
    tree = append(tree, [leafOf(entry)]);
    const note = parseNote(checkpoint);
    verifyNote(note, [...whole.signer.used.values()]);
    const head = { origin: ORIGIN, size: tree.size, root: rootOf(tree) };
    expect(note.text).toBe(checkpointText(head));
    const said = parseEntry(entry);
    expect(said.epoch).toBe(at + 1);
    if (said.kind !== "heads" || buckets === null) continue;
    const heads = await whole.headsOf(epoch);
    for (const each of heads) {
      const { siblings } = pathFromBuckets(readBuckets(buckets), each.chain, heads);
      verifyHead(said.heads, each, siblings);
    }
  }
  const [row] = await whole.owner.query<{ size: string; root: Buffer; proposal: string | null }>(
    "SELECT size, root, proposal FROM ledger.logs",
  );
  if (row)
    expect([Number(row.size), row.root, row.proposal]).toEqual([tree.size, rootOf(tree), null]);
  // Only one head of each size was ever signed.
  const sizes = new Set(whole.signer.signed.map((note) => note.split("\n")[1]));
  expect(new Set(whole.signer.signed).size).toBe(sizes.size);
  return epochs;
}
