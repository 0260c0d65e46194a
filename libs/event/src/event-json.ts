// An event and its proof as JSON text (interface 2.2, docs/hash-chain.md): the one rendering that
// the interface, webhook deliveries and exports share. The parts are set in as the canonical text
// that was hashed, so that the bytes are the same everywhere and nothing is parsed or serialised on
// the way. An event's text is three pieces in a row, for who has the parts as bytes.

export interface EventText {
  readonly id: string;
  readonly sequenceNumber: number | bigint;
  readonly action: string;
  /** Canonical JSON objects; empty stands for {}. */
  readonly actor: string;
  readonly target: string;
  readonly context: string;
  readonly diff: string;
  readonly metadata: string;
  readonly hash: string;
  readonly previousHash: string;
  readonly occurredAt: string;
  readonly receivedAt: string;
  readonly createdAt: string;
}

export function eventJson(event: EventText): string {
  return eventBeginJson(event) + eventPartsJson(event) + eventEndJson(event);
}

export function eventBeginJson(event: Pick<EventText, "id" | "sequenceNumber" | "action">): string {
  return (
    `{"id":"${event.id}","sequence_number":${event.sequenceNumber}` +
    `,"action":${JSON.stringify(event.action)}`
  );
}

/** In the order in which they stand between beginning and end, each after its name. */
export const EVENT_PARTS = ["actor", "target", "context", "diff", "metadata"] as const;

function eventPartsJson(event: Pick<EventText, (typeof EVENT_PARTS)[number]>): string {
  return (
    `,"actor":${event.actor || "{}"},"target":${event.target || "{}"},"context":${event.context || "{}"}` +
    `,"diff":${event.diff || "{}"},"metadata":${event.metadata || "{}"}`
  );
}

export function eventEndJson(
  event: Pick<EventText, "hash" | "previousHash" | "occurredAt" | "receivedAt" | "createdAt">,
): string {
  return (
    `,"hash":"${event.hash}","previous_hash":"${event.previousHash}"` +
    `,"occurred_at":"${event.occurredAt}","received_at":"${event.receivedAt}","created_at":"${event.createdAt}"}`
  );
}

export interface ProofText {
  /** The account's id. */
  readonly chain: string;
  /** Of actor, context, diff, metadata, target, in this order: 5 times 16 bytes, or their lower-case hex. */
  readonly salts: Uint8Array | string;
  /** In the same order: 5 times 32 bytes, or their lower-case hex. */
  readonly digests: Uint8Array | string;
}

const FIELDS = ["actor", "context", "diff", "metadata", "target"] as const;
const SALT_BYTES = 16;
const DIGEST_BYTES = 32;

export function proofJson({ chain, salts, digests }: ProofText): string {
  return (
    `{"v":1,"chain":${JSON.stringify(chain)}` +
    `,"salts":{${named(salts, SALT_BYTES)}},"digests":{${named(digests, DIGEST_BYTES)}}}`
  );
}

function named(value: Uint8Array | string, size: number): string {
  const hex = typeof value === "string" ? value : Buffer.from(value).toString("hex");
  let text = "";
  let from = 0;
  for (const field of FIELDS) {
    const to = from + size * 2;
    text += `${from === 0 ? "" : ","}"${field}":"${hex.slice(from, to)}"`;
    from = to;
  }
  return text;
}
