// The tree of an account as far as its newest served epoch covers it: its tiles, and what is proved from
// them. Called by the RPCs of the log, one for each call: it keeps the tiles that it has read. It must never
// show a hash that no served epoch covers.

import { AnnalsError, internal } from "@annals/errors";
import type { Database } from "@annals/postgres";
import {
  HASH_BYTES,
  proveConsistency,
  type ReadNode,
  rootFromNodes,
  TILE_WIDTH,
  TileNodes,
  type TilePath,
  TlogError,
  verifyConsistency,
} from "@annals/tlog";
import { getTile } from "./store/get-tile.ts";
import { coveredHead, type CoveredHead, notCovered } from "./covered-head.ts";
import { readPartialTile } from "./partial-tile.ts";

export class CoveredTree {
  readonly head: CoveredHead;
  readonly #database: Database;
  readonly #accountId: string;
  readonly #nodes: TileNodes;

  constructor(database: Database, accountId: string, head: CoveredHead) {
    this.#database = database;
    this.#accountId = accountId;
    this.head = head;
    this.#nodes = new TileNodes(head.size, (tile) => this.readTile(tile));
  }

  /** Rejects with `not_found` if no served epoch has the account. */
  static async of(database: Database, accountId: string): Promise<CoveredTree> {
    const head = await coveredHead(database, accountId);
    if (head === undefined) throw notCovered();
    return new CoveredTree(database, accountId, head);
  }

  /** Throws `not_found` unless a served epoch covers `size` events. */
  checkSize(size: number): void {
    const covered = this.head.size;
    if (size > covered)
      throw new AnnalsError("not_found", `The log covers ${covered} events of this account.`);
  }

  /** The hashes of a tile, full or partial. Rejects with `not_found` if one of them is not covered. */
  async readTile(tile: TilePath): Promise<Buffer> {
    const { index, level, width } = tile;
    if (level === "entries") throw new TypeError("a bundle of entries has no hashes");
    if (index * TILE_WIDTH + width > this.#hashesAt(level))
      throw new AnnalsError("not_found", "The log does not cover this tile.");
    // What begins a full tile is read from it: the tile outlives the events.
    const isFull = (index + 1) * TILE_WIDTH <= this.#hashesAt(level);
    const hashes = isFull
      ? await this.#readFull(level, index)
      : Buffer.concat(
          await readPartialTile(this.#database, this.#accountId, { level, index, width }),
        );
    const length = width * HASH_BYTES;
    if (hashes === undefined || hashes.length < length)
      throw internal(`the tree of ${this.#accountId} lacks hashes of the tile ${level}/${index}`);
    return hashes.subarray(0, length);
  }

  /**
   * What `work` makes of the nodes of the tree of the first `size` events. `check` throws TlogError for a
   * proof that does not hold, which is never shown: a tile was changed.
   */
  async prove<T extends { readonly root: Buffer }>(
    size: number,
    work: (readNode: ReadNode) => T,
    check: (proof: T) => void,
  ): Promise<T> {
    const proof = await this.#nodes.read(work);
    try {
      if (size === this.head.size && !proof.root.equals(this.head.root))
        throw new TlogError("tile_mismatch", "the tiles have another root than the head");
      check(proof);
    } catch (error) {
      if (!(error instanceof TlogError)) throw error;
      throw internal(`the tree of ${this.#accountId} cannot be proved: ${error.message}`);
    }
    return proof;
  }

  /** Proves that the tree of `from` events is a prefix of the tree of `to`. */
  proveConsistency(from: number, to: number) {
    return this.prove(
      to,
      (readNode) => ({
        fromRoot: rootFromNodes(from, readNode),
        root: rootFromNodes(to, readNode),
        hashes: proveConsistency(from, to, readNode),
      }),
      ({ fromRoot, hashes, root }) =>
        verifyConsistency({ size: from, root: fromRoot }, { size: to, root }, hashes),
    );
  }

  /** Whether the tiles have the root of the head. */
  async isWhole(): Promise<boolean> {
    const { root, size } = this.head;
    const made = await this.#nodes.read((readNode) => rootFromNodes(size, readNode));
    return made.equals(root);
  }

  /** Hashes of a level in the covered tree. */
  #hashesAt(level: number): number {
    return Math.floor(this.head.size / TILE_WIDTH ** level);
  }

  async #readFull(level: number, index: number): Promise<Buffer | undefined> {
    const [row] = await this.#database.run(getTile, [this.#accountId, level, String(index)]);
    return row?.hashes;
  }
}
