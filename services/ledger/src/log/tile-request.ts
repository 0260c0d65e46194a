// Reads the numbers of requests for tiles, entries and proofs. Called by the RPCs of the log.

import { invalid } from "@annals/errors";
import { TILE_WIDTH } from "@annals/tlog";

/** Throws `invalid` unless the number is below 2^53. */
export function countOf(field: string, value: bigint): number {
  const count = Number(value);
  if (!Number.isSafeInteger(count)) throw invalid({ field, message: "must be below 2^53" });
  return count;
}

/** Throws `invalid` for a width that no tile has. */
export function checkWidth(width: number): void {
  if (width < 1 || width > TILE_WIDTH)
    throw invalid({ field: "width", message: `must be from 1 to ${TILE_WIDTH}` });
}
