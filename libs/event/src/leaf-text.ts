// The text of a leaf of hash format v1 (docs/hash-chain.md), without any hashing. leaf.ts makes leaves with
// it in Node, libs/proof in browsers too, so it must never import from Node. No byte of it may ever change.

import { PARTS } from "./event-members.ts";

/** Bytes of a salt: random, fresh for each event and each part. */
export const SALT_BYTES = 16;

/** Bytes of a digest. */
export const DIGEST_BYTES = 32;

/** `previous_hash` of the event with sequence number 1. */
export const GENESIS_HASH = "0".repeat(64);

/** The members of a leaf as texts; `action`, `chain`, `id` and `digests` are JSON already. */
export interface LeafJson {
  action: string;
  /** The account's id. */
  chain: string;
  /** This and the other times: UTC text with six fraction digits, as the interface returns it. */
  createdAt: string;
  /** The digests of the parts, written by {@link hexOfParts}. */
  digests: string;
  id: string;
  occurredAt: string;
  /** 64 lower-case hexadecimal digits. */
  previousHash: string;
  receivedAt: string;
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
