// The keys that the caller's policy trusts for one bundle, and what they signed. Called by the steps that
// read notes. No key of the bundle itself is ever among them.

import {
  accountKey,
  type Checkpoint,
  parseCheckpoint,
  parseNote,
  type Policy,
  type Signed,
  TlogError,
  type Uncounted,
  type VerifierKey,
  verifyNote,
} from "@annals/tlog";
import { EvidenceFault } from "./evidence-fault.ts";

export interface TrustedNote {
  readonly checkpoint: Checkpoint;
  readonly signed: readonly Signed[];
  readonly uncounted: readonly Uncounted[];
}

/** The keys of the logs with this origin. */
export function logKeys(policy: Policy, origin: string): VerifierKey[] {
  return policy.logs.map(({ key }) => key).filter(({ name }) => name === origin);
}

/** Their keys for the checkpoints of one account. */
export function accountKeys(policy: Policy, origin: string, chain: string): VerifierKey[] {
  return logKeys(policy, origin).map((key) => accountKey(key, chain));
}

/**
 * The checkpoint, signed by one of `keys` at least and by `witnesses`. Throws EvidenceFault
 * (signature_missing or signature_invalid).
 */
export function trustedNote(
  bytes: Buffer | string,
  keys: readonly VerifierKey[],
  witnesses: readonly VerifierKey[],
  where: string,
): TrustedNote {
  try {
    const note = parseNote(typeof bytes === "string" ? bytes : textOf(bytes));
    const { signed, uncounted } = verifyNote(note, [...keys, ...witnesses]);
    const checkpoint = parseCheckpoint(note.text);
    const isOfLog = signed.some(({ key }) => keys.includes(key));
    if (!isOfLog || checkpoint.origin !== keys[0]?.name)
      throw new TlogError("signature_missing", "no log of the policy signed");
    return { checkpoint, signed, uncounted };
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    const reason = error.reason === "signature_invalid" ? "signature_invalid" : "signature_missing";
    throw new EvidenceFault(reason, `${where}: ${error.message}`);
  }
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new TlogError("note_malformed", "is not UTF-8");
  }
}
