// The files of the head log that a growth makes (c2sp.org/tlog-tiles): full tiles and bundles of entries,
// and the partial ones that a checkpoint needs. Called by worker/log-upload.ts.

import { TILE_WIDTH, type TilePath } from "@annals/tlog";

/** Entries whose files are uploaded before an upload notes how far it is: 64 tiles and 64 bundles. */
const STEP = 64 * TILE_WIDTH;

/** The files of a log of `to` entries that one of `from` entries had not in full. */
export function* filesBetween(from: number, to: number): Generator<TilePath> {
  for (let level = 0; TILE_WIDTH ** level <= to; level += 1) {
    const span = TILE_WIDTH ** level;
    const hashes = Math.floor(to / span);
    for (
      let index = Math.floor(from / span / TILE_WIDTH);
      index * TILE_WIDTH < hashes;
      index += 1
    ) {
      const width = Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH);
      yield { level, index, width };
      if (level === 0) yield { level: "entries", index, width };
    }
  }
}

/** The size to which a step goes that begins at `from`. Only the last one may end within a tile. */
export function endOfStep(from: number, to: number): number {
  const end = Math.floor((from + STEP) / TILE_WIDTH) * TILE_WIDTH;
  return Math.min(end, to);
}
