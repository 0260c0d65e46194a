// Reads heads.jsonl of a bundle, for step 5 of the verification. Called by verify-evidence.ts. It keeps size
// and times of each line.

import type { Checkpoint, Policy } from "@annals/tlog";
import { readLine } from "../read-event.ts";
import { asFault, type BundleFiles } from "./bundle-files.ts";
import { EvidenceFault } from "./evidence-fault.ts";
import { HEAD_LIMITS, readHeadLine } from "./head-line.ts";
import { HeadWalk, type SeenHead } from "./head-walk.ts";

export interface BundleHeads {
  readonly heads: readonly SeenHead[];
  /** Names within the policy whose cosignatures count for nothing here. */
  readonly uncounted: ReadonlySet<string>;
}

const HEADS = "heads.jsonl";
const MAX_LINES = 100_000;

/** Throws EvidenceFault. `checkpoint` is that of the account. */
export async function bundleHeads(
  files: BundleFiles,
  policy: Policy,
  checkpoint: Checkpoint,
): Promise<BundleHeads> {
  const { chain, origin } = files.bundle;
  const walk = new HeadWalk({ policy, origin, chain });
  const heads: SeenHead[] = [];
  for await (const { bytes, line } of files.lines(HEADS)) {
    const where = `${HEADS} line ${line}`;
    if (line > MAX_LINES)
      throw new EvidenceFault("file_malformed", `${HEADS} has over ${MAX_LINES} lines`);
    const read = asFault("file_malformed", where, () => readHeadLine(readLine(bytes, HEAD_LIMITS)));
    heads.push(walk.take(read, checkpoint, where));
  }
  walk.end(checkpoint);
  return { heads, uncounted: walk.uncounted };
}
