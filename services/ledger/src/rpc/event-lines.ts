// Stored events as the lines of an export (docs/exports.md), ready to be written: whoever gets them
// neither parses nor renders an event. Called by stream-events.ts.

import { eventJson, proofJson } from "@annals/contract";
import type { EventLinesSchema, EventPlaceSchema } from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { LineRow } from "../store/stream-lines.ts";
import type { RenderOptions } from "./render-event.ts";

/** Of one message at most, but for an event that is larger and goes alone. */
const MESSAGE_BYTES = 128 * 1024;

type Lines = MessageInitShape<typeof EventLinesSchema>;

/**
 * `rows` in their order, as few messages as their size allows. Each line is written to its place at once: the
 * text of a whole message would be flattened in memory that the system clears for it.
 */
export function* eventLines(rows: readonly LineRow[], options: RenderOptions): Generator<Lines> {
  let bytes = Buffer.allocUnsafeSlow(MESSAGE_BYTES);
  let filled = 0;
  let from = 0;
  const message = (to: number, last: LineRow): Lines => ({
    text: bytes.subarray(0, filled),
    count: to - from,
    first: placeOf(rows[from] ?? last),
    last: placeOf(last),
  });
  for (const [at, row] of rows.entries()) {
    const text = line(row, options);
    const length = Buffer.byteLength(text);
    const before = rows[at - 1];
    if (before && filled + length > bytes.length) {
      yield message(at, before);
      bytes = Buffer.allocUnsafeSlow(MESSAGE_BYTES);
      filled = 0;
      from = at;
    }
    if (length > bytes.length) bytes = Buffer.allocUnsafeSlow(length);
    filled += bytes.write(text, filled);
  }
  const last = rows.at(-1);
  if (last) yield message(rows.length, last);
}

function line(row: LineRow, { accountId, includeProof }: RenderOptions): string {
  const event = eventJson({
    id: row.id,
    sequenceNumber: BigInt(row.sequence_number),
    action: row.action,
    actor: row.actor,
    target: row.target,
    context: row.context,
    diff: row.diff,
    metadata: row.metadata,
    hash: row.hash,
    previousHash: row.previous_hash,
    occurredAt: row.occurred_at,
    receivedAt: row.received_at,
    createdAt: row.created_at,
  });
  if (!includeProof) return `${event}\n`;
  const proof = proofJson({ chain: accountId, salts: row.salts, digests: row.digests });
  return `{"event":${event},"proof":${proof}}\n`;
}

function placeOf(row: LineRow): MessageInitShape<typeof EventPlaceSchema> {
  return {
    sequenceNumber: BigInt(row.sequence_number),
    hash: row.hash,
    previousHash: row.previous_hash,
  };
}
