// Stored events as the lines of an export (docs/exports.md), ready to be written: whoever gets them
// neither parses nor renders an event. Called by stream-events.ts.

import { eventJson, proofJson } from "@annals/contract";
import type { EventLinesSchema, EventPlaceSchema } from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { LineRow } from "../store/stream-lines.ts";
import type { RenderOptions } from "./render-event.ts";

/** Characters of one message at least, but for the last: an event more may follow, however large. */
const MESSAGE_CHARACTERS = 128 * 1024;

type Lines = MessageInitShape<typeof EventLinesSchema>;

/** `rows` in their order, as few messages as their size allows. */
export function* eventLines(rows: readonly LineRow[], options: RenderOptions): Generator<Lines> {
  let text = "";
  let from = 0;
  for (const [at, row] of rows.entries()) {
    text += line(row, options);
    const to = at + 1;
    if (text.length < MESSAGE_CHARACTERS && to < rows.length) continue;
    yield {
      text: Buffer.from(text),
      count: to - from,
      first: placeOf(rows[from] ?? row),
      last: placeOf(row),
    };
    text = "";
    from = to;
  }
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
