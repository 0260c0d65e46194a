// Checks whether a stored event still has the hash that it was given. Verification calls it for each event,
// and checks the link to the event before by itself. It recomputes everything from the stored values. It must
// never throw, whatever someone changed in them.

import { type Part, PARTS } from "./event-members.ts";
import { leafHash, type LeafMembers, leafText, partDigest } from "./leaf.ts";
import { NO_MEMBERS } from "./json/event-places.ts";
import { DIGEST_BYTES, SALT_BYTES } from "./leaf-text.ts";

const NO_SALT = Buffer.alloc(SALT_BYTES);

/** An event as stored. */
export interface StoredLeaf extends LeafMembers {
  /** The canonical text of each part. */
  parts: Readonly<Record<Part, string>>;
  /** The salts in the order of PARTS, 80 bytes. */
  salts: Buffer;
  /** See erased-parts.ts. */
  erased?: number | undefined;
  /** 64 lower-case hexadecimal digits. */
  hash: string;
}

export type LeafFault = "digest_mismatch" | "hash_mismatch";

/** The first fault; undefined for a valid event. */
export function checkLeaf(stored: StoredLeaf): LeafFault | undefined {
  const { digests, erased = 0, parts, salts } = stored;
  if (salts.length !== PARTS.length * SALT_BYTES) return "digest_mismatch";
  if (digests.length !== PARTS.length * DIGEST_BYTES) return "digest_mismatch";
  for (const [index, part] of PARTS.entries()) {
    const salt = salts.subarray(index * SALT_BYTES, (index + 1) * SALT_BYTES);
    const digest = digests.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES);
    const isValid =
      (erased & (1 << index)) === 0
        ? partDigest(salt, parts[part]).equals(digest)
        : parts[part] === NO_MEMBERS && salt.equals(NO_SALT);
    if (!isValid) return "digest_mismatch";
  }
  return hashOf(stored) === stored.hash ? undefined : "hash_mismatch";
}

/** Undefined if the members cannot make a leaf (sequence number 0, a lone surrogate). */
function hashOf(stored: StoredLeaf): string | undefined {
  try {
    return leafHash(leafText(stored));
  } catch {
    return undefined;
  }
}
