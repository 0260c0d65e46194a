// One tree that grows by new events of its chain: hashes them in slices, so that no turn of the event loop is
// long, and makes the tiles that become full. Called by tree-builder.ts.

import { append, fullTiles, type Frontier, type FullTile, rootOf, TILE_WIDTH } from "@annals/tlog";
import { setImmediate as turn } from "node:timers/promises";

export interface GrownTree {
  readonly tree: Frontier;
  readonly root: Buffer;
  readonly tiles: readonly FullTile[];
}

/** Reads the hashes of a partial tile. It is only called when a tile of the level becomes full. */
export type ReadPartialTile = (level: number, tile: number, width: number) => Promise<Buffer[]>;

export async function growTree(
  before: Frontier,
  leaves: readonly Buffer[],
  readPartial: ReadPartialTile,
): Promise<GrownTree> {
  let tree = before;
  for (let at = 0; at < leaves.length; at += TILE_WIDTH) {
    if (at > 0) await turn();
    tree = append(tree, leaves.slice(at, at + TILE_WIDTH));
  }
  const partials = await partialsOf(before.size, leaves.length, readPartial);
  const tiles = partials && fullTiles(before.size, leaves, (level) => partials[level] ?? []);
  return { tree, root: rootOf(tree), tiles: tiles ?? [] };
}

/** The partial tile of each level that gets a full one; undefined if no tile becomes full. */
async function partialsOf(
  size: number,
  count: number,
  readPartial: ReadPartialTile,
): Promise<Buffer[][] | undefined> {
  const partials: Buffer[][] = [];
  let [first, added] = [size, count];
  for (let level = 0; added > 0; level += 1) {
    const width = first % TILE_WIDTH;
    const full = Math.floor((width + added) / TILE_WIDTH);
    if (level === 0 && full === 0) return undefined;
    first = Math.floor(first / TILE_WIDTH);
    partials.push(width === 0 ? [] : await readPartial(level, first, width));
    added = full;
  }
  return partials;
}
