// Hash format v1, described in docs/hash-chain.md: the digest of each part of an event, the leaf that holds
// them, and the leaf's hash. The ledger makes leaves with it, verification makes them again. No byte of it
// may ever change: every stored event rests on them. A change is a format v2 beside this one.

import { hash } from "node:crypto";
import { quote } from "./json/canonical-json.ts";

/** The parts of an event that can hold personal data, in the order of their salts and digests. */
export const FIELDS = ["actor", "context", "diff", "metadata", "target"] as const;

export type Field = (typeof FIELDS)[number];

/** Bytes of a salt: random, fresh for each event and each field. */
export const SALT_BYTES = 16;

/** Bytes of a digest. */
export const DIGEST_BYTES = 32;

/** `previous_hash` of the event with sequence number 1. */
export const GENESIS_HASH = "0".repeat(64);

/** What a leaf is made of. */
export interface LeafMembers {
  action: string;
  /** The account's id. */
  chain: string;
  /** This and the other times: UTC text with six fraction digits, as the interface returns it. */
  createdAt: string;
  /** The digests of the parts in the order of FIELDS, 160 bytes. */
  digests: Buffer;
  id: string;
  occurredAt: string;
  /** 64 lower-case hexadecimal digits. */
  previousHash: string;
  receivedAt: string;
  /** From 1. */
  sequenceNumber: number;
}

/** SHA-256 of the salt and the UTF-8 of the part's canonical text: 32 bytes. */
export function fieldDigest(salt: Uint8Array, canonical: string): Buffer {
  const length = Buffer.byteLength(canonical);
  const input = Buffer.allocUnsafe(salt.length + length);
  input.set(salt, 0);
  input.write(canonical, salt.length, length, "utf8");
  return Buffer.from(sha256(input), "binary");
}

/**
 * Writes that digest to its place, from 0, in a run of digests; the salt has the same place in a run of
 * salts. The canonical text is given as its UTF-8.
 */
export function writeFieldDigest(
  digests: Uint8Array,
  salts: Uint8Array,
  place: number,
  canonical: Uint8Array,
): void {
  const input = Buffer.allocUnsafe(SALT_BYTES + canonical.length);
  // Loops, for time: so few bytes are set in less than a call takes.
  const saltAt = place * SALT_BYTES;
  for (let index = 0; index < SALT_BYTES; index += 1)
    input[index] = salts[saltAt + index] as number;
  input.set(canonical, SALT_BYTES);
  const digest = sha256(input);
  const digestAt = place * DIGEST_BYTES;
  for (let index = 0; index < DIGEST_BYTES; index += 1) {
    digests[digestAt + index] = digest.charCodeAt(index);
  }
}

/**
 * A character for each byte. As text, for time: asked for a buffer, Node makes a memory block of its own for
 * each, and to read hexadecimal digits takes half as long as to compute the digest.
 */
function sha256(input: Buffer): string {
  return hash("sha256", input, "binary");
}

/**
 * The leaf, in canonical JSON. Its members stand here in canonical order, so that no sort is needed; only
 * `action`, `chain` and `id` can hold a character to escape. Throws RangeError for digests of another size
 * or a sequence number that is not a positive safe integer, TypeError for a lone surrogate.
 */
export function leafText(members: LeafMembers): string {
  const { digests, sequenceNumber } = members;
  if (digests.length !== FIELDS.length * DIGEST_BYTES)
    throw new RangeError("a leaf needs five digests of 32 bytes");
  if (!Number.isSafeInteger(sequenceNumber) || sequenceNumber < 1) {
    throw new RangeError("a sequence number is a positive safe integer");
  }
  const hex = digests.toString("hex");
  const digest = (index: number) =>
    hex.slice(index * 2 * DIGEST_BYTES, (index + 1) * 2 * DIGEST_BYTES);
  return (
    `{"action":${quote(members.action)},"chain":${quote(members.chain)},` +
    `"created_at":"${members.createdAt}","digests":{"actor":"${digest(0)}","context":"${digest(1)}",` +
    `"diff":"${digest(2)}","metadata":"${digest(3)}","target":"${digest(4)}"},` +
    `"id":${quote(members.id)},"occurred_at":"${members.occurredAt}",` +
    `"previous_hash":"${members.previousHash}","received_at":"${members.receivedAt}",` +
    `"sequence_number":${sequenceNumber},"v":1}`
  );
}

/**
 * The event's hash: SHA-256 of a zero byte (RFC 6962: this is a leaf) and the leaf, in lower-case
 * hexadecimal.
 */
export function leafHash(leaf: string): string {
  // U+0000 is the zero byte in UTF-8.
  return hash("sha256", `\0${leaf}`, "hex");
}
