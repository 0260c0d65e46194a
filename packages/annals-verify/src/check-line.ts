// Checks one line of JSON Lines: {"event":...,"proof":...}. Called by jsonl-record.ts. It parses the line
// strictly and recomputes the digest of each part from its canonical text, the leaf and the hash. It decides
// what is valid; fast-line.ts is faster for lines that are byte for byte as the service writes them.

import {
  canonicalJson,
  checkLeaf,
  EVENT_MEMBERS,
  type JsonObject,
  type JsonValue,
  type Part,
  partDigest,
  PARTS,
  readJson,
} from "@annals/event";
import { BadLine } from "./bad-line.ts";
import type { Place } from "./manifest.ts";

/** More than any event can have. */
const READ_LIMITS = { maxDepth: 256, maxValues: 10_000_000 };

const MEMBERS = Object.keys(EVENT_MEMBERS).toSorted().join(" ");

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
  const record = objectOf(parse(line));
  const event = objectOf(record["event"]);
  if (Object.keys(event).toSorted().join(" ") !== MEMBERS) throw notAnEvent();
  const proof = readProof(record["proof"]);
  const parts = Object.fromEntries(
    PARTS.map((part) => [part, canonicalJson(objectOf(event[part]))]),
  ) as Record<Part, string>;
  const { sequence_number: sequenceNumber } = event;
  if (typeof sequenceNumber !== "number") throw notAnEvent();
  const proven = {
    id: textOf(event["id"]),
    sequenceNumber,
    action: textOf(event["action"]),
    hash: textOf(event["hash"]),
    previousHash: textOf(event["previous_hash"]),
    occurredAt: textOf(event["occurred_at"]),
    receivedAt: textOf(event["received_at"]),
    createdAt: textOf(event["created_at"]),
    parts,
    ...proof,
  };
  checkEvent(proven, chain);
  return proven;
}

/** Throws BadLine where the event belongs to another chain, or a digest or the hash does not match. */
export function checkEvent(event: ProvenEvent, chain: string | undefined): void {
  const place = `sequence number ${event.sequenceNumber}`;
  if (chain !== undefined && event.chain !== chain)
    throw new BadLine(`${place}: another chain, ${event.chain}`);
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

export function readProof(value: JsonValue | undefined) {
  const proof = objectOf(value);
  if (proof["v"] !== 1) throw new BadLine("the version of the proof is unknown");
  return {
    chain: textOf(proof["chain"]),
    salts: bytesOf(objectOf(proof["salts"])),
    digests: bytesOf(objectOf(proof["digests"])),
  };
}

function bytesOf(named: JsonObject): Buffer {
  const hex = PARTS.map((part) => textOf(named[part])).join("");
  if (!/^[0-9a-f]*$/.test(hex)) throw notAnEvent();
  return Buffer.from(hex, "hex");
}

export function parse(bytes: Buffer): JsonValue {
  try {
    return readJson(bytes, READ_LIMITS);
  } catch (error) {
    throw new BadLine(`is not JSON: ${(error as Error).message}`);
  }
}

function objectOf(value: JsonValue | undefined): JsonObject {
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw notAnEvent();
  return value;
}

function textOf(value: JsonValue | undefined): string {
  if (typeof value !== "string") throw notAnEvent();
  return value;
}

function notAnEvent(): BadLine {
  return new BadLine("is not an event with its proof");
}
