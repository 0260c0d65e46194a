// The keys, policies and signatures of text/ with the primitives of Node.js, which answer at once. Called
// through index.ts by every program that runs in Node.js.

import * as ed25519 from "./ed25519.ts";
import { sha256 } from "./hash.ts";
import * as mlDsa44 from "./ml-dsa-44.ts";
import { checkNote, type NoteCheck, type SignatureQuestion } from "./text/check-note.ts";
import { type Checkpoint as AnyCheckpoint, readCheckpoint } from "./text/checkpoint.ts";
import type { Note } from "./text/note.ts";
import { type Policy, readPolicy } from "./text/policy.ts";
import { run } from "./text/steps.ts";
import { TlogError } from "./text/tlog-error.ts";
import { KEY_TYPE, makeAccountKey, makeKey, readVkey, type VerifierKey } from "./text/vkey.ts";

export interface Checkpoint extends AnyCheckpoint {
  readonly root: Buffer;
}

/** Throws TlogError (vkey_malformed). */
export function keyOf(name: string, type: number, publicKey: Uint8Array): VerifierKey {
  return run(makeKey(name, type, publicKey), sha256);
}

/** Throws TlogError (vkey_malformed), also if the key id is not that of the name and the key. */
export function parseVkey(text: string): VerifierKey {
  return run(readVkey(text), sha256);
}

/** The key under which a log signs the checkpoints of one account: the log's own, by another name. */
export function accountKey(log: VerifierKey, account: string): VerifierKey {
  return run(makeAccountKey(log, account), sha256);
}

/** Throws TlogError (policy_malformed), whose message names the line. */
export function parsePolicy(bytes: Uint8Array): Policy {
  return run(readPolicy(bytes), sha256);
}

/** Parses the text of a note. Throws TlogError (checkpoint_malformed). */
export function parseCheckpoint(text: string): Checkpoint {
  const { origin, root, size } = readCheckpoint(text);
  return { origin, size, root: Buffer.from(root) };
}

/**
 * At least one known key signed. Throws TlogError: `signature_invalid` if the signature of a known key is
 * wrong, `signature_missing` if no known key signed, `checkpoint_malformed` if a witness cosigned what is not
 * a checkpoint.
 */
export function verifyNote(note: Note, keys: readonly VerifierKey[]): NoteCheck {
  const check = run(checkNote(note, keys, invalid), verifySignature);
  if (check.signed.length === 0) throw new TlogError("signature_missing", "no known key signed");
  return check;
}

function invalid(): TlogError {
  return new TlogError("signature_invalid", "the signature of a known key is wrong");
}

function verifySignature({ key, message, signature }: SignatureQuestion): boolean | undefined {
  return key.type === KEY_TYPE.mlDsa44Cosignature
    ? mlDsa44.verify(key.publicKey, message, signature)
    : ed25519.verify(key.publicKey, message, signature);
}
