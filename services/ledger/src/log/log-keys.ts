// The keys of the log, and the checks of what keys has signed with them. Called by the epoch closer and by
// the RPCs of the log.

import type { KeysService } from "@annals/proto/keys";
import {
  KEY_TYPE,
  keyOf,
  type LogEntry,
  parseNote,
  parseVkey,
  splitHashes,
  TlogError,
  type VerifierKey,
  verifyNote,
} from "@annals/tlog";
import type { Client } from "@connectrpc/connect";

/** What keys does for the log. */
export type LogKeys = Pick<
  Client<typeof KeysService>,
  "getSignedHead" | "signCheckpoint" | "signEpoch"
>;

export function verifierKeys(origin: string, publicKeys: readonly Uint8Array[]): VerifierKey[] {
  return publicKeys.map((key) => keyOf(origin, KEY_TYPE.ed25519, key));
}

/** Those of the keys that have a line in the note. Verifies nothing. */
export function signersOf(note: string, keys: readonly VerifierKey[]): readonly VerifierKey[] {
  const ids = new Set(parseNote(note).signatures.map(({ keyId }) => keyId));
  return keys.filter(({ id }) => ids.has(id));
}

/**
 * The keys of the log once an entry is its last: those that it has named and that signed the checkpoint, so
 * that one which is left out of the file of keys has no say in later epochs. They stay as they are if only a
 * key signed that the log has not named yet: the next entry names it.
 */
export function keysAfter(
  { keys, origin }: { readonly keys: Buffer; readonly origin: string },
  entry: LogEntry,
  checkpoint: string,
): Buffer {
  const joined = entry.kind === "key" ? [parseVkey(entry.key).publicKey] : [];
  const named = verifierKeys(origin, [...joined, ...splitHashes(keys)]);
  const signers = signersOf(checkpoint, named);
  return signers.length === 0 ? keys : Buffer.concat(signers.map(({ publicKey }) => publicKey));
}

/** Throws TlogError unless the note has this text, and only right signatures of the log's keys. */
export function expectSigned(note: string, text: string, keys: readonly VerifierKey[]): void {
  const parsed = parseNote(note);
  if (parsed.text !== text)
    throw new TlogError("signature_invalid", "keys has signed another checkpoint");
  verifyNote(parsed, keys);
}
