// The keys of the log, and the checks of what keys has signed with them. Called
// by the epoch closer and by the RPCs of the log.

import type { KeysService } from "@annals/proto/keys";
import { KEY_TYPE, keyOf, parseNote, TlogError, type VerifierKey, verifyNote } from "@annals/tlog";
import type { Client } from "@connectrpc/connect";

/** What keys does for the log. */
export type LogKeys = Pick<
  Client<typeof KeysService>,
  "getSignedHead" | "signCheckpoint" | "signEpoch"
>;

export function verifierKeys(origin: string, publicKeys: readonly Uint8Array[]): VerifierKey[] {
  return publicKeys.map((key) => keyOf(origin, KEY_TYPE.ed25519, key));
}

/** Throws TlogError unless the note has this text, and only right signatures of the log's keys. */
export function expectSigned(note: string, text: string, keys: readonly VerifierKey[]): void {
  const parsed = parseNote(note);
  if (parsed.text !== text)
    throw new TlogError("signature_invalid", "keys has signed another checkpoint");
  verifyNote(parsed, keys);
}
