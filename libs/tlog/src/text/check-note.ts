// Verifies the signatures of a note by the keys that the caller trusts. Lines of other keys are ignored, as
// the specification demands; a wrong signature of a known key refuses the note as a whole.

import { readCosignature } from "./cosignature.ts";
import { utf8 } from "./encoding.ts";
import type { Note } from "./note.ts";
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
  readonly signed: readonly Signed[];
  readonly uncounted: readonly Uncounted[];
}

/** Whether the key signed the message. */
export interface SignatureQuestion {
  readonly key: VerifierKey;
  readonly message: Uint8Array<ArrayBuffer>;
  readonly signature: Uint8Array;
}

/**
 * The answer to a question is undefined if the runtime cannot verify signatures of this type. Throws what
 * `invalid` makes if the signature of a known key is wrong, and TlogError (checkpoint_malformed) if a witness
 * cosigned what is not a checkpoint.
 */
export function* checkNote(
  { signatures, text }: Note,
  keys: readonly VerifierKey[],
  invalid: (key: VerifierKey) => Error,
): Generator<SignatureQuestion, NoteCheck, boolean | undefined> {
  const signed: Signed[] = [];
  const uncounted: Uncounted[] = [];
  for (const { bytes, keyId, name } of signatures) {
    const key = keys.find((each) => each.id === keyId && each.name === name);
    if (key === undefined) continue;
    const line =
      key.type === KEY_TYPE.ed25519
        ? { time: undefined, message: utf8(text), signature: bytes }
        : readCosignature(key, text, bytes);
    if (line === undefined) throw invalid(key);
    const { message, signature, time } = line;
    const isValid = yield { key, message, signature };
    if (isValid === false) throw invalid(key);
    if (isValid === undefined) uncounted.push({ key, why: "unsupported" });
    else if (time === 0) uncounted.push({ key, why: "untimed" });
    else signed.push({ key, time });
  }
  return { signed, uncounted };
}
