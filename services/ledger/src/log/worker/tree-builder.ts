// Makes the tree of each chain grow to its head, behind the append path, for as long as the process runs: by
// each 256 events, and before each epoch. Any number of replicas may do it at the same time: each stores a
// tree only if it still has the size that it began with. Nothing waits for it. It must never store a tree
// over a chain with a gap.

import { type AccountRun, AccountWork, type Logger, REST_MS } from "@annals/chassis";
import { type Database, isDistributed } from "@annals/postgres";
import { bucketOf, frontierOf, splitHashes, TILE_WIDTH } from "@annals/tlog";
import { readPartialTile } from "../partial-tile.ts";
import { createTiles } from "../store/create-tiles.ts";
import { findTreeWork } from "../store/find-tree-work.ts";
import { getTrees, type TreeRow } from "../../store/get-trees.ts";
import { createTree, growTrees } from "../store/grow-trees.ts";
import { listLeaves } from "../../store/list-leaves.ts";
import type { GrownChains } from "../../append/grown-chains.ts";
import { type GrownTree, growTree } from "./grow-tree.ts";

/** Time from the end of a run to the beginning of the next while there are more chains to look at. */
export const DELAY_MS = 1_000;
/** Accounts whose trees grow in one run, and the chains whose trees it looks at besides. */
const ACCOUNTS = 500;
const LISTED = 1_000;
/** Events by which one tree grows in a run, and by which all of them do. */
const LEAVES = 4_096;
const MAX_LEAVES = 16_384;

export interface TreeBuilderDeps {
  readonly database: Database;
  readonly grown: GrownChains;
  readonly log: Logger;
  /** Called after the last account with the number of events that trees lack which should have grown. */
  readonly lag: (events: number) => void;
  /** Called with the number of chains that lack an event, also one after their end. */
  readonly mismatched: (chains: number) => void;
}

interface Range {
  readonly row: TreeRow;
  readonly size: number;
  readonly to: number;
}

interface Grown extends GrownTree {
  readonly accountId: string;
  readonly sizeBefore: number;
}

export class TreeBuilder {
  readonly #deps: TreeBuilderDeps;
  readonly #work: AccountWork;
  #after = "";
  #lacking = 0;

  constructor(deps: TreeBuilderDeps) {
    this.#deps = deps;
    this.#work = new AccountWork(deps.log, "trees");
  }

  /**
   * Makes one run, for a loop that is woken when a chain is ready. Resolves to the delay before the next.
   */
  async run(signal: AbortSignal): Promise<number> {
    const { database, grown } = this.#deps;
    const run = this.#work.begin(signal);
    await this.#list(run);
    const accountIds = grown.take(ACCOUNTS);
    let isBehind = accountIds.length === ACCOUNTS;
    const build = async (ids: readonly string[]): Promise<void> => {
      isBehind = (await this.#build(ids)) || isBehind;
    };
    if (await isDistributed(database))
      await run.each(
        accountIds.map((accountId) => ({ account_id: accountId })),
        ({ account_id: accountId }) => build([accountId]),
      );
    else if (accountIds.length > 0) await build(accountIds);
    run.end();
    if (isBehind) return 0;
    return accountIds.length > 0 || this.#after !== "" ? DELAY_MS : REST_MS;
  }

  /** Looks at the next chains of the list: another process, or an earlier one, may have appended to them. */
  async #list(run: AccountRun): Promise<void> {
    const { database, grown, lag } = this.#deps;
    const after = this.#after;
    const listed = await run.list(after, () => database.run(findTreeWork, [after, LISTED]));
    for (const { account_id: accountId, lacking } of listed) {
      const events = Number(lacking);
      if (events >= TILE_WIDTH) this.#lacking += events;
      if (events > 0) grown.addLacking(accountId, events);
      else if (events < 0) this.#reportCut(accountId, -events);
    }
    const last = listed.at(-1);
    this.#after = last?.accounts === LISTED ? last.account_id : "";
    if (this.#after !== "") return;
    lag(this.#lacking);
    this.#lacking = 0;
  }

  #reportCut(accountId: string, events: number): void {
    const { log, mismatched } = this.#deps;
    mismatched(1);
    log.error({ account_id: accountId, events }, "a tree has events after the end of its chain");
  }

  /** Resolves to whether a tree is still behind its chain. */
  async #build(accountIds: readonly string[]): Promise<boolean> {
    const { database, grown } = this.#deps;
    const rows = await database.run(getTrees, [accountIds]);
    const { isBehind, ranges } = rangesOf(rows, (accountId) =>
      grown.addLacking(accountId, TILE_WIDTH),
    );
    if (ranges.length === 0) return isBehind;
    const leaves = await database.run(listLeaves, [
      ranges.map(({ row }) => row.account_id),
      ranges.map(({ size }) => String(size)),
      ranges.map(({ to }) => String(to)),
    ]);
    const hashesOf = new Map(leaves.map(({ account_id, hashes }) => [account_id, hashes]));
    const trees: Grown[] = [];
    for (const range of ranges) {
      const hashes = hashesOf.get(range.row.account_id) ?? Buffer.alloc(0);
      const tree = await this.#grow(range, splitHashes(hashes));
      if (tree) trees.push(tree);
    }
    await this.#store(trees);
    return isBehind;
  }

  /** Resolves to undefined, and reports it, if the chain lacks an event. */
  async #grow({ row, size, to }: Range, leaves: readonly Buffer[]): Promise<Grown | undefined> {
    const { account_id: accountId, frontier } = row;
    const { log, mismatched } = this.#deps;
    if (leaves.length !== to - size) {
      mismatched(1);
      log.error(
        { account_id: accountId, size, to },
        "a tree cannot grow: its chain lacks an event",
      );
      return undefined;
    }
    const hashes = splitHashes(frontier ?? Buffer.alloc(0));
    const tree = await growTree(frontierOf(size, hashes), leaves, (level, tile, width) =>
      this.#readPartial(accountId, level, tile, width),
    );
    return { ...tree, accountId, sizeBefore: size };
  }

  async #readPartial(
    accountId: string,
    level: number,
    tile: number,
    width: number,
  ): Promise<Buffer[]> {
    const place = { level, index: tile, width };
    const hashes = await readPartialTile(this.#deps.database, accountId, place);
    if (hashes.length !== width) throw new Error(`the tree of ${accountId} lacks a hash`);
    return hashes;
  }

  async #store(trees: readonly Grown[]): Promise<void> {
    const { database } = this.#deps;
    for (const { accountId, root, sizeBefore, tiles, tree } of trees) {
      // A tile is right whether or not the tree is stored: the chain determines it.
      if (tiles.length > 0)
        await database.run(createTiles, [
          accountId,
          tiles.map(({ level }) => level),
          tiles.map(({ index }) => String(index)),
          tiles.map((tile) => tile.root),
          tiles.map(({ hashes }) => hashes),
        ]);
      if (sizeBefore === 0) {
        const frontier = Buffer.concat(tree.hashes);
        await database.run(createTree, [
          accountId,
          String(tree.size),
          root,
          frontier,
          bucketOf(accountId),
        ]);
      }
    }
    const grown = trees.filter(({ sizeBefore }) => sizeBefore > 0);
    if (grown.length > 0)
      await database.run(growTrees, [
        grown.map(({ accountId }) => accountId),
        grown.map(({ sizeBefore }) => String(sizeBefore)),
        grown.map(({ tree }) => String(tree.size)),
        grown.map(({ root }) => root),
        grown.map(({ tree }) => Buffer.concat(tree.hashes)),
      ]);
  }
}

/** What each tree can grow by in this run. What is left is for the next one. */
function rangesOf(rows: readonly TreeRow[], later: (accountId: string) => void) {
  const ranges: Range[] = [];
  let [isBehind, total] = [false, 0];
  for (const row of rows) {
    const [head, size] = [Number(row.sequence_number), Number(row.size)];
    const to = Math.min(head, size + Math.min(LEAVES, MAX_LEAVES - total));
    if (to < head) {
      isBehind = true;
      later(row.account_id);
    }
    if (to <= size) continue;
    ranges.push({ row, size, to });
    total += to - size;
  }
  return { isBehind, ranges };
}
