// Reads an event with its proof, parts of which may be erased: a line of JSON Lines or of events.jsonl, or
// the cells of a CSV record. Called by check-line.ts, csv-record.ts, evidence/check-events.ts and
// sinks/sink-line.ts. It only reads: what the values must be to each other is checked in event-fault.ts.

import {
  canonicalJson,
  EVENT_MEMBERS,
  type JsonValue,
  MAX_EVENT_DEPTH,
  type Part,
  PARTS,
  readJson,
} from "@annals/event";
import { BadLine } from "./bad-line.ts";
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

/** What a proof says. */
interface ReadProof {
  readonly chain: string;
  readonly salts: Readonly<Partial<Record<Part, Buffer>>>;
  readonly digests: Readonly<Record<Part, Buffer>>;
}

export interface ReadEvent extends ReadProof {
  readonly id: string;
  readonly sequenceNumber: number;
  readonly action: string;
  readonly occurredAt: string;
  readonly receivedAt: string;
  readonly createdAt: string;
  readonly hash: string;
  readonly previousHash: string;
  /** The canonical text of each part. */
  readonly parts: Readonly<Record<Part, string>>;
  readonly erased: ReadonlySet<Part>;
}

/** Values: more than any event can have. Depth: that of an event, inside of its line. */
export const READ_LIMITS = { maxDepth: MAX_EVENT_DEPTH + 1, maxValues: 10_000_000 };
/** The same for a part by itself. */
export const PART_LIMITS = { ...READ_LIMITS, maxDepth: MAX_EVENT_DEPTH - 1 };

const MEMBERS = Object.keys(EVENT_MEMBERS);
const PROOF_MEMBERS = ["v", "chain", "salts", "digests"];
const VERSION = 1;

const CARRIAGE_RETURN = 0x0d;

/** The JSON of a line. Throws BadLine, and JsonFault for what is not JSON. */
export function readLine(line: Buffer, limits = READ_LIMITS): JsonValue {
  if (line.includes(CARRIAGE_RETURN))
    throw new BadLine("has a carriage return, where some readers end a line");
  return readJson(line, limits);
}

/** Throws BadLine, and JsonFault for what is not JSON. */
export function readEvent(line: Buffer): ReadEvent {
  const record = exactObject(readLine(line), ["event", "proof"], "the line");
  return readEventOf(record["event"], record["proof"]);
}

/** Reads an event and its proof, wherever a line has them. Throws BadLine. */
export function readEventOf(
  eventValue: JsonValue | undefined,
  proofValue: JsonValue | undefined,
): ReadEvent {
  const given = anyObject(eventValue, "the event");
  const names = given["erased"] === undefined ? MEMBERS : [...MEMBERS, "erased"];
  const event = exactObject(given, names, "the event");
  return {
    ...readTexts((name) => event[name]),
    sequenceNumber: integerFrom(event["sequence_number"], 1, "its sequence_number"),
    action: anyText(event["action"], "its action"),
    parts: byPart((part) => canonicalJson(anyObject(event[part], `its ${part}`))),
    erased: readErased(event["erased"]),
    ...readProof(proofValue),
  };
}

/** Reads the texts of an event that have a pattern. Throws BadLine. */
export function readTexts(valueOf: (name: string) => JsonValue | undefined) {
  const text = (name: string, pattern: Pattern) => textLike(valueOf(name), pattern, `its ${name}`);
  return {
    id: text("id", EVENT_ID),
    hash: text("hash", SHA256),
    previousHash: text("previous_hash", SHA256),
    occurredAt: text("occurred_at", TIME),
    receivedAt: text("received_at", TIME),
    createdAt: text("created_at", TIME),
  };
}

/** Throws BadLine. */
export function readProof(value: JsonValue | undefined): ReadProof {
  const given = anyObject(value, "the proof");
  // First: another version may have other members.
  if (given["v"] !== VERSION) throw new BadLine("the version of the proof is unknown");
  const proof = exactObject(given, PROOF_MEMBERS, "the proof");
  const digests = exactObject(proof["digests"], PARTS, "the proof's digests");
  return {
    chain: textLike(proof["chain"], ACCOUNT_ID, "the proof's chain"),
    salts: readSalts(proof["salts"]),
    // Each by itself: digits that one part lacks and another has too many of are not a proof.
    digests: byPart((part) => bytesOf(digests[part], SHA256, `the proof's digests.${part}`)),
  };
}

/** In the order of PARTS, each once, and never empty. */
function readErased(value: JsonValue | undefined): ReadonlySet<Part> {
  if (value === undefined) return new Set();
  const erased = Array.isArray(value) ? PARTS.filter((part) => value.includes(part)) : [];
  if (erased.length === 0 || JSON.stringify(erased) !== JSON.stringify(value))
    throw new BadLine("its erased is not a list of parts in their order");
  return new Set(erased);
}

function readSalts(value: JsonValue | undefined): Partial<Record<Part, Buffer>> {
  const given = anyObject(value, "the proof's salts");
  const parts = PARTS.filter((part) => given[part] !== undefined);
  exactObject(given, parts, "the proof's salts");
  return Object.fromEntries(
    parts.map((part) => [part, bytesOf(given[part], SALT, `the proof's salts.${part}`)]),
  );
}

function bytesOf(value: JsonValue | undefined, pattern: Pattern, what: string): Buffer {
  return Buffer.from(textLike(value, pattern, what), "hex");
}

function byPart<Value>(read: (part: Part) => Value): Record<Part, Value> {
  return Object.fromEntries(PARTS.map((part) => [part, read(part)])) as Record<Part, Value>;
}
