// Hash format v1, described in docs/hash-chain.md: the digest of each part of an event, the leaf that holds
// them, and the leaf's hash. The ledger makes leaves with it, verification makes them again. No byte of it
// may ever change: every stored event rests on them. A change is a format v2 beside this one.

import { hash } from "node:crypto";
import { PARTS } from "./event-members.ts";
import { quote } from "./json/canonical-json.ts";

/** Bytes of a salt: random, fresh for each event and each part. */
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
  /** The digests of the parts in the order of PARTS, 160 bytes. */
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

/** The members of a leaf; `action`, `chain`, `id` and `digests` are JSON already. */
export interface LeafJson extends Omit<LeafMembers, "digests" | "sequenceNumber"> {
  /** As {@link hexOfParts} writes it. */
  digests: string;
  sequenceNumber: number | string;
}

/** The one place where the leaf is written. Its members are in canonical order, so that no sort is needed. */
export function leafOfJson(leaf: LeafJson): string {
  return (
    `{"action":${leaf.action},"chain":${leaf.chain},"created_at":"${leaf.createdAt}",` +
    `"digests":${leaf.digests},"id":${leaf.id},"occurred_at":"${leaf.occurredAt}",` +
    `"previous_hash":"${leaf.previousHash}","received_at":"${leaf.receivedAt}",` +
    `"sequence_number":${leaf.sequenceNumber},"v":1}`
  );
}

/** The JSON text before the value of each part. */
const HEX_KEYS = PARTS.map((part, index) => `${index === 0 ? "{" : '",'}"${part}":"`);

/** `hex`, a run of values of `bytes` bytes in the order of PARTS, as a JSON object by part. */
export function hexOfParts(hex: string, bytes: number): string {
  let text = "";
  for (let index = 0; index < HEX_KEYS.length; index += 1) {
    text += HEX_KEYS[index] + hex.slice(index * 2 * bytes, (index + 1) * 2 * bytes);
  }
  return `${text}"}`;
}

/**
 * The event's hash: SHA-256 of a zero byte (RFC 6962: this is a leaf) and the leaf, in lower-case
 * hexadecimal.
 */
export function leafHash(leaf: string): string {
  // U+0000 is the zero byte in UTF-8.
  return hash("sha256", `\0${leaf}`, "hex");
}
