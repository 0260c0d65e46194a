// Checkpoints (c2sp.org/tlog-checkpoint) without extension lines: origin, size and root of a log. A note's
// text is one; its signatures are verified by verify-note.ts.

import { fromBase64, fromDecimal } from "./encoding.ts";
import { HASH_BYTES } from "./hash.ts";
import { TlogError } from "./tlog-error.ts";
import { isKeyName } from "./vkey.ts";

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
}

const TEXT = /^([^\n]+)\n([^\n]+)\n([^\n]+)\n$/;

/** Parses the text of a note. Throws TlogError (checkpoint_malformed). */
export function parseCheckpoint(text: string): Checkpoint {
  const [, origin = "", decimal = "", encoded = ""] = TEXT.exec(text) ?? [];
  const size = fromDecimal(decimal);
  const root = fromBase64(encoded);
  if (!isKeyName(origin) || size === undefined || root?.length !== HASH_BYTES)
    throw new TlogError("checkpoint_malformed", "a checkpoint is an origin, a size and a root");
  return { origin, size, root };
}

export function checkpointText({ origin, root, size }: Checkpoint): string {
  return `${origin}\n${size}\n${root.toString("base64")}\n`;
}
