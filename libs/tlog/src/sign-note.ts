// Signs notes as a log does, with Ed25519. The seed is secret: it must never be in a message or a result.

import * as ed25519 from "./ed25519.ts";
import type { NoteSignature } from "./note.ts";
import { KEY_TYPE, keyOf, type VerifierKey } from "./vkey.ts";

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
      return { name, keyId: key.id, bytes: ed25519.sign(privateKey, Buffer.from(text)) };
    },
  };
}
