// Whether one stored event still has the hash it was given. Verification calls it for each event and checks
// the link to the event before itself. It recomputes everything from the stored values and must answer,
// never throw, for rows that someone changed.

import { DIGEST_BYTES, FIELDS, SALT_BYTES, fieldDigest, leafHash, leafText } from "./leaf.ts";
import type { Field, LeafMembers } from "./leaf.ts";

/** An event as stored. */
export interface StoredLeaf extends LeafMembers {
  /** The canonical text of each part. */
  parts: Readonly<Record<Field, string>>;
  /** The salts in the order of FIELDS, 80 bytes. */
  salts: Buffer;
  /** 64 lower-case hexadecimal digits. */
  hash: string;
}

export type LeafFault = "digest_mismatch" | "hash_mismatch";

/** Answers undefined for an event that is whole, else the first thing that is not. */
export function checkLeaf(stored: StoredLeaf): LeafFault | undefined {
  const { digests, parts, salts } = stored;
  if (salts.length !== FIELDS.length * SALT_BYTES) return "digest_mismatch";
  if (digests.length !== FIELDS.length * DIGEST_BYTES) return "digest_mismatch";
  for (const [index, field] of FIELDS.entries()) {
    const salt = salts.subarray(index * SALT_BYTES, (index + 1) * SALT_BYTES);
    const digest = digests.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES);
    if (!fieldDigest(salt, parts[field]).equals(digest)) return "digest_mismatch";
  }
  return hashOf(stored) === stored.hash ? undefined : "hash_mismatch";
}

/**
 * Undefined where the members make no leaf at all (sequence number 0, half a character): no hash was made
 * of them.
 */
function hashOf(stored: StoredLeaf): string | undefined {
  try {
    return leafHash(leafText(stored));
  } catch {
    return undefined;
  }
}
