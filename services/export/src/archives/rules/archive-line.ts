// A line of an archive: which event it has, whether an erasure selects it, and the same line without some of
// its parts. Called by the workers that write archives anew. It must never change a byte of what stays: the
// parts are cut out of the text, and not serialised again.

import {
  DIGEST_BYTES,
  erasedBits,
  erasedParts,
  eventJson,
  type Part,
  PARTS,
  proofJson,
  SALT_BYTES,
} from "@annals/event";

/** How a line with a proof begins (event-json.ts in libs/event). */
const BEGINNING = /^\{"event":\{"id":"\w+","sequence_number":(\d+),/;
const BEGINNING_BYTES = 200;
const PREFIX = '{"event":{';
/** What is done to events is recorded, and its records are never erased. */
const RECORDS = ["annals.clock", "annals.erasure", "annals.hold", "annals.retention"];
const NO_MEMBERS = "{}";

interface Selected {
  readonly actorId?: string | undefined;
  readonly eventId?: string | undefined;
  readonly targetId?: string | undefined;
}

interface Line {
  readonly event: {
    readonly id: string;
    readonly sequence_number: number;
    readonly action: string;
    readonly actor: { readonly id?: unknown };
    readonly target: { readonly id?: unknown };
    readonly hash: string;
    readonly previous_hash: string;
    readonly occurred_at: string;
    readonly received_at: string;
    readonly created_at: string;
    readonly erased?: readonly Part[];
  };
  readonly proof: {
    readonly chain: string;
    readonly salts: Readonly<Partial<Record<Part, string>>>;
    readonly digests: Readonly<Record<Part, string>>;
  };
}

/** Throws if the line has another form. */
export function sequenceOf(line: Uint8Array): number {
  const beginning = Buffer.from(line.subarray(0, BEGINNING_BYTES)).toString("latin1");
  const [, sequence] = BEGINNING.exec(beginning) ?? [];
  if (sequence === undefined) throw new Error("a line has another form than that of an event");
  return Number(sequence);
}

/** A function that says whether an erasure selects the event of a line, by its actor, target or id. */
export function selects({ actorId, eventId, targetId }: Selected): (line: Uint8Array) => boolean {
  const texts = [actorId, eventId, targetId]
    .filter((value) => value !== undefined)
    .map((value) => Buffer.from(JSON.stringify(value)));
  return (line) => {
    const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
    // Nearly no line has the text of the value, so nearly none is parsed.
    if (!texts.some((text) => bytes.includes(text))) return false;
    const { event }: Line = JSON.parse(bytes.toString());
    if (RECORDS.includes(event.action)) return false;
    return (
      (actorId !== undefined && event.actor.id === actorId) ||
      event.id === eventId ||
      (targetId !== undefined && event.target.id === targetId)
    );
  };
}

/** The line without some parts: each is {} and has no salt. The same bytes if they are erased already. */
export function withoutParts(line: Uint8Array, bits: number): Uint8Array {
  const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString();
  const parsed: Line = JSON.parse(text);
  const before = erasedBits(parsed.event.erased ?? []);
  if (rendered(text, parsed, before) !== text)
    throw new Error("a line has another form than that of an event");
  if ((before | bits) === before) return line;
  return Buffer.from(rendered(text, parsed, before | bits));
}

function rendered(text: string, { event, proof }: Line, bits: number): string {
  const erased = erasedParts(bits);
  const parts = partTexts(text, erased);
  const json = eventJson({
    ...parts,
    id: event.id,
    sequenceNumber: event.sequence_number,
    action: event.action,
    hash: event.hash,
    previousHash: event.previous_hash,
    occurredAt: event.occurred_at,
    receivedAt: event.received_at,
    createdAt: event.created_at,
    erased: bits,
  });
  const salts = PARTS.map((part) => proof.salts[part] ?? "0".repeat(2 * SALT_BYTES)).join("");
  const digests = PARTS.map((part) => proof.digests[part]).join("");
  if (digests.length !== PARTS.length * 2 * DIGEST_BYTES) throw new Error("a digest is missing");
  return `{"event":${json},"proof":${proofJson({ chain: proof.chain, salts, digests }, erased)}}\n`;
}

/** Cuts the text of each part out of the line, byte for byte. */
function partTexts(text: string, erased: readonly Part[]): Record<Part, string> {
  const found: Partial<Record<string, string>> = {};
  for (let at = PREFIX.length; text[at] === '"';) {
    const keyEnd = endOfValue(text, at);
    const end = endOfValue(text, keyEnd + 1);
    found[text.slice(at + 1, keyEnd - 1)] = text.slice(keyEnd + 1, end);
    at = end + 1;
  }
  const entries = PARTS.map((part) => {
    const value = erased.includes(part) ? NO_MEMBERS : found[part];
    if (value === undefined) throw new Error(`a line has no ${part}`);
    return [part, value] as const;
  });
  return Object.fromEntries(entries) as Record<Part, string>;
}

/** Finds the end of the JSON value that begins at a position. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  let isString = false;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (isString) {
      if (character === "\\") at += 1;
      else if (character === '"') isString = false;
      if (!isString && depth === 0) return at + 1;
    } else if (character === '"') isString = true;
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (character === "," && depth === 0) return at;
  }
  return text.length;
}
