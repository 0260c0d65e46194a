// Hash format v1, described in docs/hash-chain.md: the digest of each part of an event, the leaf that holds
// them, and the leaf's hash. The ledger makes leaves with it, verification makes them again. No byte of it
// may ever change: every stored event rests on them. A change is a format v2 next to this one.

import { hash } from "node:crypto";
import { PARTS } from "./event-members.ts";
import { quote } from "./json/canonical-json.ts";
import { DIGEST_BYTES, hexOfParts, type LeafJson, leafOfJson, SALT_BYTES } from "./leaf-text.ts";

/** What a leaf is made of. */
export interface LeafMembers extends Omit<LeafJson, "digests" | "sequenceNumber"> {
  /** The digests of the parts in the order of PARTS, 160 bytes. */
  digests: Buffer;
  /** Starts at 1. */
  sequenceNumber: number;
}

/** SHA-256 of the salt and the UTF-8 of the part's canonical text: 32 bytes. */
export function partDigest(salt: Uint8Array, canonical: string): Buffer {
  const length = Buffer.byteLength(canonical);
  const input = Buffer.allocUnsafe(salt.length + length);
  input.set(salt, 0);
  input.write(canonical, salt.length, length, "utf8");
  return Buffer.from(sha256(input), "binary");
}

/**
 * Writes that digest into a run of digests, at `index` from 0; the salt has the same index in a run of
 * salts. The canonical text is given as its UTF-8.
 */
export function writePartDigest(
  digests: Uint8Array,
  salts: Uint8Array,
  index: number,
  canonical: Uint8Array,
): void {
  const input = Buffer.allocUnsafe(SALT_BYTES + canonical.length);
  // Loops, for speed: a call costs more than copying so few bytes.
  const saltAt = index * SALT_BYTES;
  for (let at = 0; at < SALT_BYTES; at += 1) input[at] = salts[saltAt + at] as number;
  input.set(canonical, SALT_BYTES);
  const digest = sha256(input);
  const digestAt = index * DIGEST_BYTES;
  for (let at = 0; at < DIGEST_BYTES; at += 1) digests[digestAt + at] = digest.charCodeAt(at);
}

/**
 * One character per byte. Text and not a buffer, for speed: Node allocates a memory block per buffer, and
 * reading hexadecimal digits takes half as long as computing the digest.
 */
function sha256(input: Buffer): string {
  return hash("sha256", input, "binary");
}

/**
 * The leaf, in canonical JSON. Throws RangeError for digests of another size or a sequence number that is
 * not a positive safe integer, TypeError for a lone surrogate.
 */
export function leafText(members: LeafMembers): string {
  const { digests, sequenceNumber } = members;
  if (digests.length !== PARTS.length * DIGEST_BYTES)
    throw new RangeError("a leaf needs five digests of 32 bytes");
  if (!Number.isSafeInteger(sequenceNumber) || sequenceNumber < 1) {
    throw new RangeError("a sequence number is a positive safe integer");
  }
  return leafOfJson({
    action: quote(members.action),
    chain: quote(members.chain),
    createdAt: members.createdAt,
    digests: hexOfParts(digests.toString("hex"), DIGEST_BYTES),
    id: quote(members.id),
    occurredAt: members.occurredAt,
    previousHash: members.previousHash,
    receivedAt: members.receivedAt,
    sequenceNumber,
  });
}

/**
 * The event's hash: SHA-256 of a zero byte (RFC 6962: this is a leaf) and the leaf, in lower-case
 * hexadecimal.
 */
export function leafHash(leaf: string): string {
  // U+0000 is the zero byte in UTF-8.
  return hash("sha256", `\0${leaf}`, "hex");
}
