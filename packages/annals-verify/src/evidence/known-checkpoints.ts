// Checkpoints of the account that the caller kept, and step 7 of the verification: each is a prefix of the
// bundle's tree. A checkpoint that the caller's policy does not trust decides nothing, so it stops the run.

import { type Checkpoint, parseCheckpoint, parseNote, type Policy, TlogError } from "@annals/tlog";
import type { BundleTree } from "./bundle-tree.ts";
import { EvidenceFault, NotChecked } from "./evidence-fault.ts";
import { accountKeys, trustedNote } from "./trusted-keys.ts";

/** Throws NotChecked unless a log of the policy signed it for this account. */
export function readKnown(bytes: Buffer, policy: Policy, chain: string): Checkpoint {
  try {
    const { origin } = parseCheckpoint(parseNote(bytes.toString("utf8")).text);
    const ending = `/${chain}`;
    if (!origin.endsWith(ending)) throw new NotChecked("a known checkpoint is of another account");
    const keys = accountKeys(policy, origin.slice(0, -ending.length), chain);
    return trustedNote(bytes, keys, [], "a known checkpoint").checkpoint;
  } catch (error) {
    if (error instanceof EvidenceFault) throw new NotChecked(error.message);
    if (error instanceof TlogError)
      throw new NotChecked(`a known checkpoint cannot be read: ${error.message}`);
    throw error;
  }
}

/** Throws EvidenceFault (checkpoint_conflict), and NotChecked where the bundle lacks the tiles. */
export function checkKnown(known: Checkpoint, tree: BundleTree): void {
  const { checkpoint } = tree;
  const kept = `the known checkpoint of ${known.size} events`;
  if (known.size > checkpoint.size)
    throw new EvidenceFault(
      "checkpoint_conflict",
      `the bundle is older than ${kept}: it covers ${checkpoint.size}`,
    );
  if (!tree.rootAt(known.size).equals(known.root))
    throw new EvidenceFault("checkpoint_conflict", `the bundle does not continue ${kept}`);
}
