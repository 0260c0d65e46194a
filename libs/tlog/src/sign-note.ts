// Signs notes as a log does, and cosigns them as a witness does, with Ed25519. The seed is secret: it must
// never be in a message or a result.

import * as ed25519 from "./ed25519.ts";
import { cosignatureMessage } from "./text/cosignature.ts";
import { joined, uint64, utf8 } from "./text/encoding.ts";
import type { NoteSignature } from "./text/note.ts";
import { KEY_TYPE, type VerifierKey } from "./text/vkey.ts";
import { keyOf } from "./with-node.ts";

export interface NoteSigner {
  readonly key: VerifierKey;
  /** Signs the text of a note, which ends with a line feed. The same text gets the same signature. */
  readonly sign: (text: string) => NoteSignature;
}

/** Throws TlogError (vkey_malformed) for the name, RangeError for a seed that has not 32 bytes. */
export function noteSigner(name: string, seed: Uint8Array): NoteSigner {
  const privateKey = ed25519.privateKeyOf(seed);
  const key = keyOf(name, KEY_TYPE.ed25519, ed25519.publicKeyOf(privateKey));
  return {
    key,
    sign: (text) => {
      if (!text.endsWith("\n")) throw new RangeError("the text of a note ends with a line feed");
      const signature = ed25519.sign(privateKey, utf8(text));
      return { name, keyId: key.id, bytes: new Uint8Array(signature) };
    },
  };
}

/** Signs as a witness does, at `time` in seconds since 1970. */
export function cosign(name: string, seed: Uint8Array, text: string, time: number): NoteSignature {
  const privateKey = ed25519.privateKeyOf(seed);
  const key = keyOf(name, KEY_TYPE.ed25519Cosignature, ed25519.publicKeyOf(privateKey));
  const signature = ed25519.sign(privateKey, cosignatureMessage(text, time));
  return { name, keyId: key.id, bytes: joined(uint64(time), signature) };
}
