// Cosignatures of witnesses (c2sp.org/tlog-cosignature): a time and a signature over it and the checkpoint.
// Called by verify-note.ts; `cosign` by what stands for a witness in tests.

import { parseCheckpoint } from "./checkpoint.ts";
import * as ed25519 from "./ed25519.ts";
import { uint64 } from "./encoding.ts";
import * as mlDsa44 from "./ml-dsa-44.ts";
import type { NoteSignature } from "./note.ts";
import { KEY_TYPE, keyOf, type VerifierKey } from "./vkey.ts";

const TIME_BYTES = 8;
const SUBTREE_LABEL = Buffer.from("subtree/v1\n\0");

/**
 * `unsupported`: this runtime cannot verify the type of key. `untimed`: valid, and without a time, so it
 * counts for no quorum.
 */
export type CosignatureCheck =
  | { readonly state: "valid"; readonly time: number }
  | { readonly state: "invalid" | "unsupported" | "untimed" };

/** `time` is in seconds since 1970. `text` is the text of a note. */
export function checkCosignature(
  key: VerifierKey,
  text: string,
  signature: Uint8Array,
): CosignatureCheck {
  const bytes = Buffer.from(signature);
  if (bytes.length <= TIME_BYTES) return { state: "invalid" };
  const time = Number(bytes.readBigUInt64BE());
  if (!Number.isSafeInteger(time)) return { state: "invalid" };
  const raw = bytes.subarray(TIME_BYTES);
  const isValid =
    key.type === KEY_TYPE.mlDsa44Cosignature
      ? mlDsa44.verify(key.publicKey, subtreeMessage(key.name, text, time), raw)
      : ed25519.verify(key.publicKey, cosignatureMessage(text, time), raw);
  if (isValid === undefined) return { state: "unsupported" };
  if (!isValid) return { state: "invalid" };
  return time === 0 ? { state: "untimed" } : { state: "valid", time };
}

/** Signs as a witness with an Ed25519 key. */
export function cosign(name: string, seed: Uint8Array, text: string, time: number): NoteSignature {
  const privateKey = ed25519.privateKeyOf(seed);
  const key = keyOf(name, KEY_TYPE.ed25519Cosignature, ed25519.publicKeyOf(privateKey));
  const signature = ed25519.sign(privateKey, cosignatureMessage(text, time));
  return { name, keyId: key.id, bytes: Buffer.concat([uint64(time), signature]) };
}

function cosignatureMessage(text: string, time: number): Buffer {
  return Buffer.from(`cosignature/v1\ntime ${time}\n${text}`);
}

/** Throws TlogError (checkpoint_malformed). */
function subtreeMessage(name: string, text: string, time: number): Buffer {
  const { origin, root, size } = parseCheckpoint(text);
  return Buffer.concat([
    SUBTREE_LABEL,
    withLength(name),
    uint64(time),
    withLength(origin),
    uint64(0),
    uint64(size),
    root,
  ]);
}

/** Both a name and an origin have at most 255 bytes. */
function withLength(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Uint8Array.of(bytes.length), bytes]);
}
