// Checks the claims of the manifest when all events were read, and makes the report. Called by
// verify-source.ts and verify-parquet.ts.

import type { Erasures } from "@annals/event";
import { BadLine } from "./bad-line.ts";
import type { BodyDigest } from "./body-digest.ts";
import type { ChainWalk } from "./chain-walk.ts";
import { checkErasures } from "./check-erasures.ts";
import { checkManifest } from "./check-manifest.ts";
import type { Manifest } from "./manifest.ts";
import type { Report, Source } from "./report.ts";

/** What was found when all events were read. */
export interface Found {
  readonly walk: ChainWalk;
  readonly erasures: Erasures;
  readonly digest: BodyDigest;
  /** The last one. */
  readonly line: number;
  readonly hasByteOrderMark?: boolean;
}

/** What of the verification is needed at its end. */
export interface Concluded {
  readonly format: string;
  readonly source: Pick<Source, "size">;
  readonly sha256?: string | undefined;
}

/** Throws BadLine for the first claim of the manifest that is wrong. */
export function conclude(
  { format, source: { size }, sha256 }: Concluded,
  manifest: Manifest,
  { walk, erasures, digest, line, hasByteOrderMark = false }: Found,
): Report {
  const all = digest.all();
  try {
    const before = manifest.sizeBytes <= size ? manifest.sizeBytes : -1;
    checkManifest(manifest, { format, walk, sizeBytes: before, sha256: digest.body() });
    if (sha256 !== undefined && sha256.toLowerCase() !== all)
      throw new BadLine(`sha256_mismatch: the file's is ${all}`);
  } catch (error) {
    throw error instanceof BadLine ? error.at(line) : error;
  }
  const { events, linksChecked, linksUnchecked } = walk;
  return {
    manifest,
    events,
    linksChecked,
    linksUnchecked,
    erasedParts: erasures.erasedParts,
    erasuresUnchecked: checkErasures(manifest, erasures),
    hasByteOrderMark,
    sha256: all,
  };
}
