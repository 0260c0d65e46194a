// Checkpoints of the account that the caller kept, and step 7 of the verification: each is a prefix of the
// bundle's tree. A checkpoint that the caller's policy does not trust decides nothing, so it stops the run.

import {
  accountKey,
  type Checkpoint,
  keyOf,
  parseCheckpoint,
  parseNote,
  type Policy,
  TlogError,
  type VerifierKey,
} from "@annals/tlog";
import type { BundleTree } from "./bundle-tree.ts";
import { EvidenceFault, NotChecked } from "./evidence-fault.ts";
import { accountKeys, trustedNote } from "./trusted-keys.ts";

/** Throws NotChecked unless a log of the policy signed it for this account. */
export function readKnown(bytes: Buffer, policy: Policy, chain: string): Checkpoint {
  try {
    const { origin } = parseCheckpoint(parseNote(bytes.toString("utf8")).text);
    const ending = `/${chain}`;
    if (!origin.endsWith(ending)) throw new NotChecked("a known checkpoint is of another account");
    const keys = keysOf(policy, origin.slice(0, -ending.length), chain);
    return trustedNote(bytes, keys, [], "a known checkpoint").checkpoint;
  } catch (error) {
    if (error instanceof EvidenceFault) throw new NotChecked(error.message);
    if (error instanceof TlogError)
      throw new NotChecked(`a known checkpoint cannot be read: ${error.message}`);
    throw error;
  }
}

/**
 * The keys of a log for the account. A log that follows another keeps its keys, and a policy names a key
 * once: the keys that it trusts for the new log then count for the old one, which it does not name.
 */
function keysOf(policy: Policy, origin: string, chain: string): VerifierKey[] {
  const named = accountKeys(policy, origin, chain);
  if (named.length > 0) return named;
  const renamed = policy.logs.map(({ key }) => keyOf(origin, key.type, key.publicKey));
  return renamed.map((key) => accountKey(key, chain));
}

/** Throws EvidenceFault (checkpoint_conflict), and NotChecked if the bundle lacks the tiles. */
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
