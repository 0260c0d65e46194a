// Checks that a file holds what its manifest claims. Called by conclude.ts.

import { BadLine } from "./bad-line.ts";
import type { ChainWalk } from "./chain-walk.ts";
import type { Manifest, Place } from "./manifest.ts";

export interface Found {
  readonly format: string;
  readonly walk: ChainWalk;
  /** Number of bytes before the manifest's record. */
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** Throws BadLine for the first claim that is wrong; the most specific ones are checked first. */
export function checkManifest(manifest: Manifest, { format, walk, ...found }: Found): void {
  const { first, last } = walk;
  if (manifest.format !== format)
    throw new BadLine(`manifest_mismatch: the format is ${format}, not "${manifest.format}"`);
  if (manifest.eventCount !== walk.events)
    throw new BadLine(
      `manifest_mismatch: the file holds ${walk.events} events, event_count is ${manifest.eventCount}`,
    );
  checkRange(manifest, last);
  if (!isSame(manifest.first, first))
    throw new BadLine("manifest_mismatch: first is not the first event of the file");
  if (!isSame(manifest.last, last))
    throw new BadLine("manifest_mismatch: last is not the last event of the file");
  if (manifest.sizeBytes !== found.sizeBytes || manifest.sha256 !== found.sha256)
    throw new BadLine("manifest_mismatch: sha256 does not match the file before the manifest");
}

function checkRange({ head, isFiltered, range }: Manifest, last: Place | undefined): void {
  if (range.to > head.sequenceNumber)
    throw new BadLine("manifest_mismatch: the range goes beyond the head");
  const reached = last?.sequenceNumber ?? range.from - 1;
  if (!isFiltered && range.to >= range.from && reached !== range.to)
    throw new BadLine(
      `sequence_gap: the events end at sequence number ${reached}, the range at ${range.to}`,
    );
  if (last?.sequenceNumber === head.sequenceNumber && last.hash !== head.hash)
    throw new BadLine("head_mismatch: the last event is not the head");
}

function isSame(claimed: Place | undefined, found: Place | undefined): boolean {
  return (
    claimed?.sequenceNumber === found?.sequenceNumber &&
    claimed?.hash === found?.hash &&
    claimed?.previousHash === found?.previousHash
  );
}
