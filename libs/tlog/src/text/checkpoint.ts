// Checkpoints (c2sp.org/tlog-checkpoint) without extension lines: origin, size and root of a log. A note's
// text is one; its signatures are verified by check-note.ts.

import { fromBase64, fromDecimal, toBase64 } from "./encoding.ts";
import { TlogError } from "./tlog-error.ts";
import { isKeyName } from "./vkey.ts";

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  /** 32 bytes. */
  readonly root: Uint8Array;
}

const TEXT = /^([^\n]+)\n([^\n]+)\n([^\n]+)\n$/;
const ROOT_BYTES = 32;

/** Parses the text of a note. Throws TlogError (checkpoint_malformed). */
export function readCheckpoint(text: string): Checkpoint {
  const [, origin = "", decimal = "", encoded = ""] = TEXT.exec(text) ?? [];
  const size = fromDecimal(decimal);
  const root = fromBase64(encoded);
  if (!isKeyName(origin) || size === undefined || root?.length !== ROOT_BYTES)
    throw new TlogError("checkpoint_malformed", "a checkpoint is an origin, a size and a root");
  return { origin, size, root };
}

export function checkpointText({ origin, root, size }: Checkpoint): string {
  return `${origin}\n${size}\n${toBase64(root)}\n`;
}
