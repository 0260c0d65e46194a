// Cosignatures of witnesses (c2sp.org/tlog-cosignature): a time and a signature over it and the checkpoint.
// Called by check-note.ts; `cosignatureMessage` also by what signs for a witness in tests.

import { readCheckpoint } from "./checkpoint.ts";
import { joined, uint64, utf8 } from "./encoding.ts";
import { KEY_TYPE, type VerifierKey } from "./vkey.ts";

const TIME_BYTES = 8;
const SUBTREE_LABEL = utf8("subtree/v1\n\0");

export interface TimedSignature {
  /** Seconds since 1970. */
  readonly time: number;
  /** What the witness signed. */
  readonly message: Uint8Array<ArrayBuffer>;
  readonly signature: Uint8Array;
}

/**
 * Undefined if the bytes are not a cosignature. `text` is the text of a note. Throws TlogError
 * (checkpoint_malformed) if an ML-DSA-44 key signed another one.
 */
export function readCosignature(
  key: VerifierKey,
  text: string,
  bytes: Uint8Array,
): TimedSignature | undefined {
  if (bytes.length <= TIME_BYTES) return undefined;
  const time = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0));
  if (!Number.isSafeInteger(time)) return undefined;
  const message =
    key.type === KEY_TYPE.mlDsa44Cosignature
      ? subtreeMessage(key.name, text, time)
      : cosignatureMessage(text, time);
  return { time, message, signature: bytes.subarray(TIME_BYTES) };
}

export function cosignatureMessage(text: string, time: number): Uint8Array<ArrayBuffer> {
  return utf8(`cosignature/v1\ntime ${time}\n${text}`);
}

function subtreeMessage(name: string, text: string, time: number): Uint8Array<ArrayBuffer> {
  const { origin, root, size } = readCheckpoint(text);
  return joined(
    SUBTREE_LABEL,
    withLength(name),
    uint64(time),
    withLength(origin),
    uint64(0),
    uint64(size),
    root,
  );
}

/** Both a name and an origin have at most 255 bytes. */
function withLength(text: string): Uint8Array {
  const bytes = utf8(text);
  return joined(Uint8Array.of(bytes.length), bytes);
}
