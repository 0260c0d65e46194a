// Reads of the head log: its tiles, full ones from their rows and partial ones from what is below them.
// Called by the epoch closer and by the RPCs of the log.

import type { Database } from "@annals/postgres";
import {
  entryHash,
  HASH_BYTES,
  proveConsistency,
  proveInclusion,
  rootFromNodes,
  TILE_WIDTH,
  TileNodes,
  type TilePath,
} from "@annals/tlog";
import { listLogEntries } from "./store/epochs.ts";
import { getLogTile, listLogTileRoots } from "./store/log-tiles.ts";

export class HeadLog {
  readonly #database: Database;
  readonly #log: number;
  readonly #kept: { readonly nodes: TileNodes; readonly size: number } | undefined;

  /** Proofs in trees up to `keptSize` share what they read, if it is given: for a call that makes several. */
  constructor(database: Database, log: number, keptSize?: number) {
    this.#database = database;
    this.#log = log;
    if (keptSize !== undefined)
      this.#kept = { size: keptSize, nodes: new TileNodes(keptSize, this.#load) };
  }

  /** The hashes of a tile. Undefined if the log has not that many there. */
  async readTile({ index, level, width }: TilePath): Promise<Buffer | undefined> {
    if (level === "entries") throw new TypeError("a bundle of entries has no hashes");
    if (width === TILE_WIDTH) {
      const [tile] = await this.#database.run(getLogTile, [this.#log, level, String(index)]);
      return tile?.hashes;
    }
    const hashes = await this.readPartial(level, index, width);
    return hashes.length === width ? Buffer.concat(hashes) : undefined;
  }

  /** The texts of entries from one on, at most as many as a tile has. */
  async readEntries(index: number, width: number): Promise<string[]> {
    const from = String(index * TILE_WIDTH + 1);
    const rows = await this.#database.run(listLogEntries, [this.#log, from, width]);
    return rows.map(({ entry }) => entry);
  }

  /** Up to `width` hashes, from the first of a tile on. */
  async readPartial(level: number, tile: number, width: number): Promise<Buffer[]> {
    if (level === 0)
      return (await this.readEntries(tile, width)).map((entry) => entryHash(Buffer.from(entry)));
    const from = String(tile * TILE_WIDTH);
    const rows = await this.#database.run(listLogTileRoots, [this.#log, level - 1, from, width]);
    return rows.map(({ root }) => root);
  }

  rootOf(size: number): Promise<Buffer> {
    return this.#nodesOf(size).read((readNode) => rootFromNodes(size, readNode));
  }

  proveInclusion(index: number, size: number): Promise<Buffer[]> {
    return this.#nodesOf(size).read((readNode) => proveInclusion(index, size, readNode));
  }

  proveConsistency(from: number, to: number): Promise<Buffer[]> {
    return this.#nodesOf(to).read((readNode) => proveConsistency(from, to, readNode));
  }

  #nodesOf(size: number): TileNodes {
    const kept = this.#kept;
    return kept && size <= kept.size ? kept.nodes : new TileNodes(size, this.#load);
  }

  readonly #load = async (tile: TilePath): Promise<Buffer> => {
    const hashes = await this.readTile(tile);
    if (hashes?.length !== tile.width * HASH_BYTES) throw new Error("the head log lacks a tile");
    return hashes;
  };
}
