// The account's tree of a bundle: its signed checkpoint, and the tiles that give its root. Step 2 of the
// verification; the later steps read leaves and roots of earlier sizes from it.

import {
  type Checkpoint,
  HASH_BYTES,
  readNodes,
  type ReadNode,
  rootFromNodes,
  TILE_WIDTH,
  tileAt,
  tilePath,
  type TilePath,
  tileRoot,
  tilesOf,
} from "@annals/tlog";
import type { BundleFiles } from "./bundle-files.ts";
import { EvidenceFault, NotChecked } from "./evidence-fault.ts";

const TILE_BYTES = TILE_WIDTH * HASH_BYTES;

export class BundleTree {
  readonly #files: BundleFiles;
  readonly #readNode: ReadNode;
  readonly checkpoint: Checkpoint;
  /** The leaf hashes of one tile, one after the other. */
  #leaves: { readonly tile: number; readonly text: string } | undefined;
  #cached: { readonly path: string; readonly bytes: Buffer } | undefined;

  constructor(files: BundleFiles, checkpoint: Checkpoint) {
    this.#files = files;
    this.checkpoint = checkpoint;
    this.#readNode = readNodes(checkpoint.size, (tile) => this.#readTile(tile));
  }

  /** Throws EvidenceFault (inclusion_mismatch) unless the tiles are those of the checkpoint. */
  check(): void {
    const { root, size } = this.checkpoint;
    const { from, to } = this.#files.bundle;
    if (size < to) throw mismatch("the checkpoint does not cover the range");
    const expected = new Set<string>();
    for (const tile of tilesOf(size)) {
      const path = tilePath(tile);
      expected.add(path);
      const end = (tile.index + 1) * TILE_WIDTH;
      if (tile.level === 0 && end < from - 1 && !this.#files.has(path)) continue;
      const bytes = this.#readTile(tile);
      if (bytes.length !== tile.width * HASH_BYTES) throw mismatch(`${path} has another width`);
      if (tile.width === TILE_WIDTH) this.#checkAbove(tile, bytes);
    }
    for (const name of this.#files.names)
      if (name.startsWith("tile/") && !expected.has(name))
        throw mismatch("there is a tile that the tree does not have");
    if (!rootFromNodes(size, this.#readNode).equals(root))
      throw mismatch("the tiles do not give the root of the checkpoint");
  }

  /** The leaf hash of an event, in hexadecimal. Its tile must be in the bundle. */
  leaf(sequenceNumber: number): string {
    const index = sequenceNumber - 1;
    const tile = Math.floor(index / TILE_WIDTH);
    if (this.#leaves?.tile !== tile) {
      const bytes = this.#readTile(tileAt(this.checkpoint.size, 0, index));
      this.#leaves = { tile, text: bytes.toString("hex") };
    }
    const at = (index % TILE_WIDTH) * 2 * HASH_BYTES;
    return this.#leaves.text.slice(at, at + 2 * HASH_BYTES);
  }

  /** The root that the tree had. Throws NotChecked if the tiles for it are not in the bundle. */
  rootAt(size: number): Buffer {
    try {
      return rootFromNodes(size, this.#readNode);
    } catch (error) {
      if (!(error instanceof EvidenceFault) || error.reason !== "inclusion_mismatch") throw error;
      throw new NotChecked(`the bundle begins after event ${size}, and has no tiles before it`);
    }
  }

  /** A full tile is the entry above it. */
  #checkAbove(tile: TilePath & { readonly level: number }, bytes: Buffer): void {
    const above = tileAt(this.checkpoint.size, tile.level + 1, tile.index);
    const at = (tile.index % TILE_WIDTH) * HASH_BYTES;
    const entry = this.#readTile(above).subarray(at, at + HASH_BYTES);
    if (!tileRoot(bytes).equals(entry))
      throw mismatch(`${tilePath(tile)} is not the entry of the tile above it`);
  }

  #readTile(tile: TilePath): Buffer {
    const path = tilePath(tile);
    if (this.#cached?.path === path) return this.#cached.bytes;
    if (!this.#files.has(path)) throw mismatch(`${path} is missing`);
    const bytes = this.#files.read(path, TILE_BYTES);
    this.#cached = { path, bytes };
    return bytes;
  }
}

function mismatch(message: string): EvidenceFault {
  return new EvidenceFault("inclusion_mismatch", message);
}
