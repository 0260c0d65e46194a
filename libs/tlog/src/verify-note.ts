// Verifies the signatures of a note by the keys that the caller trusts. Lines of other keys are ignored, as
// the specification demands; a wrong signature of a known key refuses the note as a whole.

import { checkCosignature } from "./cosignature.ts";
import * as ed25519 from "./ed25519.ts";
import type { Note, NoteSignature } from "./note.ts";
import { TlogError } from "./tlog-error.ts";
import { KEY_TYPE, type VerifierKey } from "./vkey.ts";

export interface Signed {
  readonly key: VerifierKey;
  /** Seconds since 1970; a cosignature has it. */
  readonly time: number | undefined;
}

/** A line of a known key that counts for nothing. */
export interface Uncounted {
  readonly key: VerifierKey;
  /** `unsupported`: this runtime cannot verify it. `untimed`: a cosignature without a time. */
  readonly why: "unsupported" | "untimed";
}

export interface NoteCheck {
  /** At least one. */
  readonly signed: readonly Signed[];
  readonly uncounted: readonly Uncounted[];
}

/**
 * Throws TlogError: `signature_invalid` if the signature of a known key is wrong, `signature_missing`
 * if no known key signed, `checkpoint_malformed` if a witness cosigned what is not a checkpoint.
 */
export function verifyNote(note: Note, keys: readonly VerifierKey[]): NoteCheck {
  const signed: Signed[] = [];
  const uncounted: Uncounted[] = [];
  for (const signature of note.signatures) {
    const key = keys.find(({ id, name }) => id === signature.keyId && name === signature.name);
    if (key === undefined) continue;
    const check = checkSignature(key, note.text, signature);
    if (check.state === "invalid")
      throw new TlogError("signature_invalid", "the signature of a known key is wrong");
    if (check.state === "valid") signed.push({ key, time: check.time });
    else uncounted.push({ key, why: check.state });
  }
  if (signed.length === 0) throw new TlogError("signature_missing", "no known key signed");
  return { signed, uncounted };
}

function checkSignature(
  key: VerifierKey,
  text: string,
  { bytes }: NoteSignature,
): { state: "valid"; time: number | undefined } | { state: "invalid" | "unsupported" | "untimed" } {
  if (key.type !== KEY_TYPE.ed25519) return checkCosignature(key, text, bytes);
  const isValid = ed25519.verify(key.publicKey, Buffer.from(text), bytes);
  return isValid ? { state: "valid", time: undefined } : { state: "invalid" };
}
