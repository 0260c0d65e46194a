// The tiles of an account's tree: full ones from their rows, partial ones from the events' hashes and from
// the roots of the tiles below, and proofs with them. Called by the RPCs of the log.

import type { Database } from "@annals/postgres";
import {
  HASH_BYTES,
  proveConsistency,
  proveInclusion,
  rootFromNodes,
  TILE_WIDTH,
  type TilePath,
} from "@annals/tlog";
import { getTile } from "../store/get-tile.ts";
import { listLeaves } from "../store/list-leaves.ts";
import { listTileRoots } from "../store/list-tile-roots.ts";
import { withTiles } from "./tile-proofs.ts";

export class AccountTiles {
  readonly #accountId: string;
  readonly #database: Database;

  constructor(database: Database, accountId: string) {
    this.#accountId = accountId;
    this.#database = database;
  }

  /** The hashes of a tile. Undefined if the tree has not that many there yet. */
  async read({ index, level, width }: TilePath): Promise<Buffer | undefined> {
    if (level === "entries") throw new TypeError("a bundle of entries has no hashes");
    if (width === TILE_WIDTH) {
      const [tile] = await this.#database.run(getTile, [this.#accountId, level, String(index)]);
      if (tile !== undefined || level > 0) return tile?.hashes;
    }
    const first = index * TILE_WIDTH;
    const hashes = await this.#readHashes(level, String(first), String(first + width));
    return hashes.length === width ? Buffer.concat(hashes) : undefined;
  }

  rootOf(size: number): Promise<Buffer> {
    return withTiles(size, this.#load, (readNode) => rootFromNodes(size, readNode));
  }

  proveInclusion(index: number, size: number): Promise<Buffer[]> {
    return withTiles(size, this.#load, (readNode) => proveInclusion(index, size, readNode));
  }

  proveConsistency(from: number, to: number): Promise<Buffer[]> {
    return withTiles(to, this.#load, (readNode) => proveConsistency(from, to, readNode));
  }

  async #readHashes(level: number, from: string, before: string): Promise<Buffer[]> {
    const account = this.#accountId;
    if (level === 0) {
      const rows = await this.#database.run(listLeaves, [[account], [from], [before]]);
      return rows.map(({ hash }) => hash);
    }
    const rows = await this.#database.run(listTileRoots, [account, level - 1, from, before]);
    return rows.map(({ root }) => root);
  }

  readonly #load = async (tile: TilePath): Promise<Buffer> => {
    const hashes = await this.read(tile);
    if (hashes?.length !== tile.width * HASH_BYTES) throw new Error("the tree lacks a tile");
    return hashes;
  };
}
