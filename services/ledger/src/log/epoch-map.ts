// The map of heads as of the newest epoch, in memory: which heads have changed since, and the root with
// them. Called by the epoch closer. It is built from the stored heads, in slices, when it is first needed,
// and again after a proposal that was not made.

import { type Database, isDistributed, readAccounts, workOnEach } from "@annals/postgres";
import { type Head, HeadMap } from "@annals/tlog";
import { setImmediate as turn } from "node:timers/promises";
import { getAccountHead } from "./store/get-account-head.ts";
import { getAccountHeads, type HeadRow } from "./store/account-heads.ts";
import { getTreeHeads, listTreeHeads, type TreeHeadRow } from "./store/list-tree-heads.ts";

/** Accounts of one page, and hashes of one slice: each is a turn of the event loop of a few milliseconds. */
const PAGE = 500;
const SLICE = 1_000;

export interface NextMap {
  readonly root: Buffer;
  readonly buckets: Buffer;
  /** Heads that are not those of the epoch before. */
  readonly changed: readonly Head[];
}

export class EpochMap {
  readonly #database: Database;
  #map = new HeadMap();
  #sizes = new Map<string, number>();
  #epoch: string | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** What is in memory is that of no epoch. */
  forget(): void {
    this.#epoch = undefined;
  }

  /** Says that what {@link next} made is that of this epoch, if it has this root. */
  settleIf(log: number, epoch: number, root: Buffer | undefined): void {
    if (root === undefined) {
      if (this.#epoch === `${log}/${epoch - 1}`) this.settle(log, epoch);
    } else if (this.#map.root().equals(root)) this.settle(log, epoch);
    else this.forget();
  }

  /** Says that what is in memory is that of this epoch. */
  settle(log: number, epoch: number): void {
    this.#epoch = `${log}/${epoch}`;
  }

  /** The map as of an epoch of a log. Resolves to its root. */
  async load(log: number, epoch: number): Promise<Buffer> {
    if (this.#epoch !== `${log}/${epoch}`) {
      this.#epoch = undefined;
      this.#map = new HeadMap();
      this.#sizes = new Map();
      for await (const page of this.#pages())
        for (const head of await this.#headsOf(page, log, epoch)) this.#set(head);
      this.settle(log, epoch);
    }
    return this.#root();
  }

  /**
   * The map with the heads that the trees have now. What is in memory is then of no epoch until it settles.
   */
  async next(): Promise<NextMap> {
    this.forget();
    const changed: Head[] = [];
    for await (const page of this.#pages())
      for (const row of page) {
        const head = headOf(row);
        if (head.size <= (this.#sizes.get(head.chain) ?? 0)) continue;
        this.#set(head);
        changed.push(head);
      }
    return { root: await this.#root(), buckets: this.#map.buckets(), changed };
  }

  async #root(): Promise<Buffer> {
    for (const _ of this.#map.rehash(SLICE)) await turn();
    return this.#map.root();
  }

  #set(head: Head): void {
    this.#map.set(head);
    this.#sizes.set(head.chain, head.size);
  }

  /** All trees. Of an account whose server is away: what is in memory stays. */
  async *#pages(): AsyncGenerator<readonly TreeHeadRow[]> {
    let after = "";
    let known: string[] | undefined;
    const knownIds = () => (known ??= [...this.#sizes.keys()].sort());
    for (;;) {
      const page = await this.#readPage(after, knownIds);
      yield page.rows;
      if (page.isLast) return;
      after = page.last;
      await turn();
    }
  }

  async #readPage(after: string, knownIds: () => readonly string[]) {
    try {
      const rows = await this.#database.run(listTreeHeads, [after, PAGE]);
      return { rows, last: rows.at(-1)?.account_id ?? "", isLast: rows.length < PAGE };
    } catch (error) {
      if (!(await isDistributed(this.#database))) throw error;
      const known = knownIds();
      const first = known.findIndex((id) => id > after);
      const ids = first < 0 ? [] : known.slice(first, first + PAGE);
      if (ids.length === 0 && after === "") throw error;
      const each = (ofIds: readonly string[]) => this.#database.run(getTreeHeads, [ofIds]);
      const { rows } = await readAccounts(this.#database, ids, {
        together: () => each(ids),
        each: (accountId) => each([accountId]),
      });
      return { rows, last: ids.at(-1) ?? "", isLast: ids.length < PAGE };
    }
  }

  #headsOf(page: readonly TreeHeadRow[], log: number, epoch: number): Promise<Head[]> {
    return headsOfEpoch(
      this.#database,
      page.map((row) => row.account_id),
      log,
      epoch,
    );
  }
}

/** The heads that accounts have in an epoch, in any order. Those without one are left out. */
export async function headsOfEpoch(
  database: Database,
  accountIds: readonly string[],
  log: number,
  epoch: number,
): Promise<Head[]> {
  if (!(await isDistributed(database)))
    return (await database.run(getAccountHeads, [accountIds, log, String(epoch)])).map(headOf);
  const heads = await workOnEach(accountIds, async (accountId) => {
    const [row] = await database.run(getAccountHead, [accountId, log, String(epoch)]);
    return row && headOf({ ...row, account_id: accountId });
  });
  return heads.filter((head) => head !== undefined);
}

function headOf({ account_id: chain, root, size }: Omit<HeadRow, "epoch">): Head {
  return { chain, size: Number(size), root };
}
