// Compares the tree of a chain with its events, for a range: every full tile with the events or the tiles
// below it, and the last tiles with the head that the newest served epoch has. Called by verify-chain.ts,
// after the events themselves were verified. It must never report a tree as right that it did not compare.

import type { Database } from "@annals/postgres";
import { HASH_BYTES, splitHashes, TILE_WIDTH, tileRoot } from "@annals/tlog";
import type { FirstInvalid } from "./rules/chain-verifier.ts";
import { coveredHead } from "../log/covered-head.ts";
import { CoveredTree } from "../log/covered-tree.ts";
import { type ComparedTileRow, compareUpperTiles } from "./store/compare-tiles.ts";
import { getTrees } from "../store/get-trees.ts";
import { listLeaves } from "../store/list-leaves.ts";
import { readRange } from "../store/read-range.ts";
import type { BlockChecker } from "./block-checker.ts";
import { inBlocks, type Range } from "./blocks.ts";

interface Deps {
  readonly blocks: BlockChecker;
  readonly database: Database;
}

/** Upper tiles of one statement. */
const TILES = 16;

/** The first event of the range that the tree does not have as it is. Events without a tree are not wrong. */
export async function verifyTree(
  { blocks, database }: Deps,
  accountId: string,
  range: Range,
  signal: AbortSignal,
): Promise<FirstInvalid | undefined> {
  const [row] = await database.run(getTrees, [[accountId]]);
  const to = Math.min(range.to, Number(row?.size ?? 0));
  let [from, before] = [Math.floor((range.from - 1) / TILE_WIDTH), Math.floor(to / TILE_WIDTH)];
  const events = { from: from * TILE_WIDTH + 1, to: before * TILE_WIDTH };
  const compare = (block: Range) => blocks.compareTiles(database, { accountId, ...block, signal });
  for await (const { block, result: tiles } of inBlocks(events, blocks.ahead, compare)) {
    const wrong = firstWrong(tiles, (block.from - 1) / TILE_WIDTH, block.to / TILE_WIDTH);
    if (wrong !== undefined) return mismatchIn(database, accountId, 0, wrong, tiles);
  }
  for (let level = 1; from < before; level += 1) {
    [from, before] = [Math.floor(from / TILE_WIDTH), Math.floor(before / TILE_WIDTH)];
    for (let at = from; at < before; at += TILES) {
      signal.throwIfAborted();
      const end = Math.min(at + TILES, before);
      const params = [accountId, level, String(at), String(end)] as const;
      const tiles = await database.run(compareUpperTiles, [...params]);
      const wrong = firstWrong(tiles, at, end);
      if (wrong !== undefined) return mismatchIn(database, accountId, level, wrong, tiles);
    }
  }
  return compareHead(database, accountId, range);
}

function firstWrong(tiles: readonly ComparedTileRow[], from: number, before: number) {
  for (let tile = from; tile < before; tile += 1) {
    const row = tiles[tile - from];
    if (Number(row?.tile ?? -1) !== tile || !row?.matches) return tile;
    if (!tileRoot(row.hashes).equals(row.root)) return tile;
  }
  return undefined;
}

/**
 * The first event whose hash a wrong tile of level 0 does not have; otherwise the first event of the tile.
 */
async function mismatchIn(
  database: Database,
  accountId: string,
  level: number,
  tile: number,
  tiles: readonly ComparedTileRow[],
): Promise<FirstInvalid> {
  const first = tile * TILE_WIDTH ** (level + 1);
  const row = tiles.find((each) => Number(each.tile) === tile);
  let offset = 0;
  if (level === 0 && row?.matches === false) {
    const range = [[accountId], [String(first)], [String(first + TILE_WIDTH)]] as const;
    const [leaves] = await database.run(listLeaves, [...range]);
    const hashes = leaves ? splitHashes(leaves.hashes) : [];
    const hashAt = (at: number) => row.hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
    offset = Math.max(
      0,
      hashes.findIndex((hash, at) => !hash.equals(hashAt(at))),
    );
  }
  return mismatch(database, accountId, first + offset + 1);
}

/** Compares the root of the covered events, if the range reaches the last of them. */
async function compareHead(
  database: Database,
  accountId: string,
  range: Range,
): Promise<FirstInvalid | undefined> {
  const head = await coveredHead(database, accountId);
  if (head === undefined || head.size < range.from || head.size > range.to) return undefined;
  const isWhole = await new CoveredTree(database, accountId, head).isWhole();
  return isWhole ? undefined : mismatch(database, accountId, head.size);
}

async function mismatch(
  database: Database,
  accountId: string,
  sequenceNumber: number,
): Promise<FirstInvalid> {
  const at = String(sequenceNumber);
  const [row] = await database.run(readRange, [accountId, at, at, 1]);
  return { sequenceNumber, eventId: row?.id, reason: "tree_mismatch" };
}
