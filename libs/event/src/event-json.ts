// An event and its proof as JSON text (interface 2.2, docs/hash-chain.md): the one rendering that the
// interface, webhook deliveries and exports share. The parts are inserted as the canonical text that was
// hashed, so that the bytes are the same everywhere. It must never parse or serialise a part.

import { type EventText, JSON_PARTS } from "./event-members.ts";
import { quote } from "./json/canonical-json.ts";
import { DIGEST_BYTES, hexOfParts, SALT_BYTES } from "./leaf-text.ts";

const PART_KEYS = JSON_PARTS.map((part) => `,"${part}":`);

/** Written out, and not a loop over all members, for speed: the loop takes a sixth longer. */
export function eventJson(event: EventText): string {
  let text = `{"id":"${event.id}","sequence_number":${event.sequenceNumber},"action":${quote(event.action)}`;
  for (let at = 0; at < PART_KEYS.length; at += 1) {
    text += PART_KEYS[at] + (event[JSON_PARTS[at] as (typeof JSON_PARTS)[number]] || "{}");
  }
  return (
    `${text},"hash":"${event.hash}","previous_hash":"${event.previousHash}"` +
    `,"occurred_at":"${event.occurredAt}","received_at":"${event.receivedAt}","created_at":"${event.createdAt}"}`
  );
}

export interface ProofText {
  /** The account's id. */
  readonly chain: string;
  /** In the order of PARTS: 5 times 16 bytes, or their lower-case hex. */
  readonly salts: Uint8Array | string;
  /** In the same order: 5 times 32 bytes, or their lower-case hex. */
  readonly digests: Uint8Array | string;
}

export function proofJson({ chain, salts, digests }: ProofText): string {
  const saltsJson = hexOfParts(hexOf(salts), SALT_BYTES);
  const digestsJson = hexOfParts(hexOf(digests), DIGEST_BYTES);
  return `{"v":1,"chain":${JSON.stringify(chain)},"salts":${saltsJson},"digests":${digestsJson}}`;
}

function hexOf(value: Uint8Array | string): string {
  return typeof value === "string" ? value : Buffer.from(value).toString("hex");
}
