// Whether the file names each erased part in a later record. Called by conclude.ts after everything else:
// only a file that is whole can lack a record. It must never refuse a file that need not have the record.

import type { Erasures } from "@annals/event";
import { BadLine } from "./bad-line.ts";
import type { Manifest } from "./manifest.ts";

/**
 * Returns the number of erased parts whose record may be outside of the file: a filter may have left it out,
 * or the range ends before the head. Throws BadLine if the file has all events up to the head, and no record.
 */
export function checkErasures(
  { head, isFiltered, range }: Manifest,
  { unrecorded, unrecordedParts }: Erasures,
): number {
  if (unrecorded !== undefined && !isFiltered && range.to === head.sequenceNumber)
    throw new BadLine(
      `sequence number ${unrecorded.sequenceNumber}: erasure_unrecorded in ${unrecorded.part}`,
    );
  return unrecordedParts;
}
