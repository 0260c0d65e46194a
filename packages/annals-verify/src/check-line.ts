// Checks one line of JSON Lines: {"event":...,"proof":...}. Called by jsonl-record.ts. It parses the line
// strictly and recomputes the digest of each part from its canonical text, the leaf and the hash. It decides
// what is valid; fast-line.ts is faster for lines that are byte for byte as the service writes them.

import {
  canonicalJson,
  checkLeaf,
  EVENT_MEMBERS,
  type JsonValue,
  MAX_EVENT_DEPTH,
  type Part,
  partDigest,
  PARTS,
  readJson,
} from "@annals/event";
import { BadLine } from "./bad-line.ts";
import type { Place } from "./manifest.ts";
import {
  ACCOUNT_ID,
  anyObject,
  anyText,
  EVENT_ID,
  exactObject,
  integerFrom,
  type Pattern,
  SALT,
  SHA256,
  textLike,
  TIME,
} from "./shape.ts";

/** Values: more than any event can have. Depth: that of an event, inside of its line. */
const READ_LIMITS = { maxDepth: MAX_EVENT_DEPTH + 1, maxValues: 10_000_000 };

const RECORD_MEMBERS = ["event", "proof"];
const MEMBERS = Object.keys(EVENT_MEMBERS);
const PROOF_MEMBERS = ["v", "chain", "salts", "digests"];
const VERSION = 1;

const NOT_AN_EVENT = "is not an event with its proof: ";

/** An event with its proof, as texts. */
export interface ProvenEvent extends Place {
  readonly id: string;
  readonly action: string;
  readonly occurredAt: string;
  readonly receivedAt: string;
  readonly createdAt: string;
  readonly parts: Readonly<Record<Part, string>>;
  readonly chain: string;
  readonly salts: Buffer;
  readonly digests: Buffer;
}

/** Throws BadLine. `chain` is the chain that the event must belong to. */
export function checkLine(line: Buffer, chain: string | undefined): ProvenEvent {
  const record = exactObject(parse(line), RECORD_MEMBERS, `${NOT_AN_EVENT}the line`);
  const event = exactObject(record["event"], MEMBERS, `${NOT_AN_EVENT}the event`);
  const proof = readProof(record["proof"]);
  const text = (name: string) => anyText(event[name], `${NOT_AN_EVENT}its ${name}`);
  const parts = Object.fromEntries(
    PARTS.map((part) => [
      part,
      canonicalJson(anyObject(event[part], `${NOT_AN_EVENT}its ${part}`)),
    ]),
  ) as Record<Part, string>;
  const proven = {
    id: text("id"),
    sequenceNumber: integerFrom(event["sequence_number"], 1, `${NOT_AN_EVENT}its sequence_number`),
    action: text("action"),
    hash: text("hash"),
    previousHash: text("previous_hash"),
    occurredAt: text("occurred_at"),
    receivedAt: text("received_at"),
    createdAt: text("created_at"),
    parts,
    ...proof,
  };
  checkEvent(proven, chain);
  return proven;
}

/** The texts of an event that have a pattern, and their names in a file. */
const PATTERNS = [
  ["id", "id", EVENT_ID],
  ["hash", "hash", SHA256],
  ["previous_hash", "previousHash", SHA256],
  ["occurred_at", "occurredAt", TIME],
  ["received_at", "receivedAt", TIME],
  ["created_at", "createdAt", TIME],
] as const satisfies readonly (readonly [string, keyof ProvenEvent, Pattern])[];

/**
 * Throws BadLine where a text is not what it must be, the event belongs to another chain, or a digest or the
 * hash does not match.
 */
export function checkEvent(event: ProvenEvent, chain: string | undefined): void {
  const place = `sequence number ${event.sequenceNumber}`;
  for (const [name, member, pattern] of PATTERNS)
    textLike(event[member], pattern, `${place}: its ${name}`);
  // Both match a pattern, so they need no quotes to be safe; they have them as all texts of the file.
  if (chain !== undefined && event.chain !== chain)
    throw new BadLine(`${place}: another chain, "${event.chain}"`);
  const fault = checkLeaf(event);
  if (fault === "digest_mismatch")
    throw new BadLine(`${place}: digest_mismatch in ${changedPart(event) ?? "the proof"}`);
  if (fault !== undefined) throw new BadLine(`${place}: ${fault}`);
}

function changedPart({ parts, salts, digests }: ProvenEvent): Part | undefined {
  return PARTS.find((part, index) => {
    const salt = salts.subarray(index * 16, (index + 1) * 16);
    return !partDigest(salt, parts[part]).equals(digests.subarray(index * 32, (index + 1) * 32));
  });
}

/** Throws BadLine. */
export function readProof(value: JsonValue | undefined) {
  const given = anyObject(value, `${NOT_AN_EVENT}the proof`);
  // First: another version may have other members.
  if (given["v"] !== VERSION) throw new BadLine("the version of the proof is unknown");
  const proof = exactObject(given, PROOF_MEMBERS, `${NOT_AN_EVENT}the proof`);
  return {
    chain: textLike(proof["chain"], ACCOUNT_ID, `${NOT_AN_EVENT}the proof's chain`),
    salts: bytesOf(proof["salts"], SALT, "salts"),
    digests: bytesOf(proof["digests"], SHA256, "digests"),
  };
}

/** Each part by itself: digits that one part lacks and another has too many of are no proof. */
function bytesOf(value: JsonValue | undefined, pattern: Pattern, name: string): Buffer {
  const named = exactObject(value, PARTS, `${NOT_AN_EVENT}the proof's ${name}`);
  const hex = PARTS.map((part) =>
    textLike(named[part], pattern, `${NOT_AN_EVENT}the proof's ${name}.${part}`),
  );
  return Buffer.from(hex.join(""), "hex");
}

export function parse(bytes: Buffer): JsonValue {
  try {
    return readJson(bytes, READ_LIMITS);
  } catch (error) {
    throw new BadLine(`is not JSON: ${(error as Error).message}`);
  }
}
