// Recomputes an event with its proof: the digest of each part, the leaf, the hash (docs/hash-chain.md). The
// viewer, the SDK and the dashboard call it. It must run wherever WebCrypto is, and never throw for what an
// event holds: what cannot be recomputed differs.

import {
  canonicalJson,
  DIGEST_BYTES,
  hexOfParts,
  type JsonValue,
  leafOfJson,
  type Part,
  PARTS,
  quote,
  SALT_BYTES,
} from "@annals/event/text";
import type { Proof, ProvableEvent, Unchecked } from "./provable-event.ts";

/**
 * `hidden`: neither the part's salt nor all of its value is shown, or the part is erased. Its digest is still
 * in the hash.
 */
export type PartState = "verified" | "differs" | "hidden";

export type EventCheck =
  | {
      /** `verified`: the hash is that of the event, and each part shown is the one that was hashed. */
      readonly state: "verified" | "differs";
      readonly parts: Readonly<Record<Part, PartState>>;
      readonly hash: "verified" | "differs";
    }
  /** There is no proof, or one of a later version. */
  | { readonly state: "unchecked" };

const VERSION = 1;

/** Lists return the proofs next to the events; elsewhere the proof is a member of the event. */
export async function checkEvent(
  event: ProvableEvent,
  proof: Proof | undefined = event.proof,
): Promise<EventCheck> {
  const given: Unchecked<Proof> | undefined = proof ?? undefined;
  if (given?.v !== VERSION) return { state: "unchecked" };
  const salts = membersOf(given.salts);
  const digests = membersOf(given.digests);
  const erased = Array.isArray(event.erased) ? event.erased : [];
  const [hash, ...states] = await Promise.all([
    checkHash(event, given.chain, digests),
    ...PARTS.map((part) =>
      erased.includes(part)
        ? checkErased(event[part], salts[part])
        : checkPart(part, event[part], salts[part], digests[part]),
    ),
  ]);
  const parts = Object.fromEntries(PARTS.map((part, at) => [part, states[at]])) as Record<
    Part,
    PartState
  >;
  const differs = hash === "differs" || states.includes("differs");
  return { state: differs ? "differs" : "verified", parts, hash };
}

/** An erased part has neither a salt nor a member. */
function checkErased(value: unknown, salt: unknown): PartState {
  const isEmpty = value === undefined || (isObject(value) && Object.keys(value).length === 0);
  return isEmpty && salt === undefined ? "hidden" : "differs";
}

async function checkPart(
  part: Part,
  value: unknown,
  salt: unknown,
  digest: unknown,
): Promise<PartState> {
  if (salt === undefined) return isWithheld(part, value) ? "hidden" : "differs";
  const bytes = bytesOf(salt, SALT_BYTES);
  const text = bytes && canonicalText(value);
  if (text === undefined) return "differs";
  return (await sha256(bytes ?? [], text)) === digest ? "verified" : "differs";
}

/** Only the id and the type of an actor or a target may be shown without the salt of the part. */
function isWithheld(part: Part, value: unknown): boolean {
  if (value === undefined) return true;
  const shown = part === "actor" || part === "target" ? ["id", "type"] : [];
  return isObject(value) && Object.keys(value).every((name) => shown.includes(name));
}

async function checkHash(
  event: Unchecked<ProvableEvent>,
  chain: unknown,
  digests: Readonly<Record<string, unknown>>,
): Promise<"verified" | "differs"> {
  const leaf = leafOf(event, chain, digests);
  if (leaf === undefined) return "differs";
  // RFC 6962: a zero byte before the leaf.
  return (await sha256([0], leaf)) === event.hash ? "verified" : "differs";
}

/** Undefined if a member is not what a leaf is made of. */
function leafOf(
  event: Unchecked<ProvableEvent>,
  chain: unknown,
  digests: Readonly<Record<string, unknown>>,
): string | undefined {
  const { sequence_number: sequenceNumber } = event;
  if (!Number.isSafeInteger(sequenceNumber) || Number(sequenceNumber) < 1) return undefined;
  if (!PARTS.every((part) => isHex(digests[part], DIGEST_BYTES))) return undefined;
  try {
    return leafOfJson({
      action: quoted(event.action),
      chain: quoted(chain),
      createdAt: escaped(event.created_at),
      digests: hexOfParts(PARTS.map((part) => digests[part]).join(""), DIGEST_BYTES),
      id: quoted(event.id),
      occurredAt: escaped(event.occurred_at),
      previousHash: escaped(event.previous_hash),
      receivedAt: escaped(event.received_at),
      sequenceNumber: Number(sequenceNumber),
    });
  } catch {
    return undefined;
  }
}

/** Throws TypeError if the value is not a string. */
function quoted(value: unknown): string {
  if (typeof value !== "string") throw new TypeError("not a string");
  return quote(value);
}

/** Without the quotes. A forged time or hash cannot end its member of the leaf and begin another one. */
function escaped(value: unknown): string {
  return quoted(value).slice(1, -1);
}

/** Undefined if the value is not a JSON object. An absent part is {}. */
function canonicalText(value: unknown = {}): string | undefined {
  if (!isObject(value)) return undefined;
  try {
    return canonicalJson(value as JsonValue);
  } catch {
    return undefined;
  }
}

/** In lower-case hexadecimal. */
async function sha256(before: ArrayLike<number>, text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const input = new Uint8Array(before.length + bytes.length);
  input.set(before, 0);
  input.set(bytes, before.length);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", input));
  let hex = "";
  for (const byte of digest) hex += byte.toString(16).padStart(2, "0");
  return hex;
}

function bytesOf(hex: unknown, bytes: number): Uint8Array | undefined {
  if (!isHex(hex, bytes)) return undefined;
  return Uint8Array.from({ length: bytes }, (_, at) =>
    Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16),
  );
}

function isHex(value: unknown, bytes: number): value is string {
  return typeof value === "string" && value.length === 2 * bytes && /^[0-9a-f]*$/.test(value);
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? (value as Record<string, unknown>) : {};
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
