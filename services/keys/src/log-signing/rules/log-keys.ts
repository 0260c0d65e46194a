// The keys of the log of evidence: their file, and the notes that they sign. Called by log-signer.ts
// and log-key-file.ts. A seed must never be in a message, a log line or a result.

import { type Checkpoint, checkpointText, noteSigner, noteText, originOf } from "@annals/tlog";

/** Enough for rotations that overlap. A note has a signature of each. */
const MAX_LOG_KEYS = 8;

const SEED_BYTES = 32;
const LINE = /^[A-Za-z0-9+/]{43}=$/;

export interface LogKeyFile {
  readonly seeds: readonly Buffer[];
  /** Ed25519 public keys of 32 bytes, in the order of the seeds. */
  readonly publicKeys: readonly Buffer[];
}

export const NO_LOG_KEYS: LogKeyFile = { seeds: [], publicKeys: [] };

/**
 * Reads lines of `<base64 of a 32-byte seed>`, at least one, newest first. Skips empty lines and comments,
 * which begin with `#`. Throws an Error that names the line and never its content.
 */
export function parseLogKeys(text: string): LogKeyFile {
  const seeds: Buffer[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    const seed = Buffer.from(trimmed, "base64");
    // A text that decodes to these bytes in another way is a mistake.
    if (!LINE.test(trimmed) || seed.toString("base64") !== trimmed)
      throw new Error(`line ${index + 1} is not \`<base64 of ${SEED_BYTES} bytes>\``);
    if (seeds.some((other) => other.equals(seed)))
      throw new Error(`line ${index + 1} repeats a key`);
    seeds.push(seed);
  }
  if (seeds.length === 0) throw new Error("contains no key");
  if (seeds.length > MAX_LOG_KEYS) throw new Error(`contains more than ${MAX_LOG_KEYS} keys`);
  return {
    seeds,
    publicKeys: seeds.map((seed) => Buffer.from(noteSigner("log", seed).key.publicKey)),
  };
}

/** The origin of a log that has no other name. Empty without a key. */
export function defaultOrigin({ publicKeys: [newest] }: LogKeyFile): string {
  return newest === undefined ? "" : originOf(newest);
}

/** The checkpoint as a note that each key has signed under the checkpoint's origin. */
export function signedCheckpoint({ seeds }: LogKeyFile, checkpoint: Checkpoint): string {
  const text = checkpointText(checkpoint);
  const signatures = seeds.map((seed) => noteSigner(checkpoint.origin, seed).sign(text));
  return noteText({ text, signatures });
}
