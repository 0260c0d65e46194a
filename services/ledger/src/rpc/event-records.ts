// Stored events as the records of an export (docs/exports.md), ready to be written, so that the export
// service neither parses nor renders events. Called by stream-events.ts.

import { erasedParts, eventCsv, eventJson, proofJson } from "@annals/event";
import {
  type EventPlaceSchema,
  RecordFormat,
  type StreamEventsResponseSchema,
} from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { RecordRow } from "../store/stream-events.ts";

export type Format = RecordFormat.JSONL | RecordFormat.CSV;

interface RecordOptions {
  readonly accountId: string;
  readonly includeProof: boolean;
  readonly format: Format;
}

/** Characters after which a message ends, however large its last event is. */
const MESSAGE_CHARACTERS = 128 * 1024;

type Records = MessageInitShape<typeof StreamEventsResponseSchema>;

/** Yields `rows` in their order, in as few messages as their size allows. */
export function* eventRecords(
  rows: readonly RecordRow[],
  options: RecordOptions,
): Generator<Records> {
  let text = "";
  let from = 0;
  for (const [at, row] of rows.entries()) {
    text += record(row, options);
    const to = at + 1;
    if (text.length < MESSAGE_CHARACTERS && to < rows.length) continue;
    yield {
      text: Buffer.from(text),
      count: to - from,
      first: placeOf(rows[from] ?? row),
      last: placeOf(row),
      hasErased: rows.slice(from, to).some(({ erased }) => erased !== 0),
    };
    text = "";
    from = to;
  }
}

function record(row: RecordRow, { accountId, includeProof, format }: RecordOptions): string {
  const event = {
    // The id, the action, the hash and the parts have the same names in both.
    ...row,
    sequenceNumber: BigInt(row.sequence_number),
    previousHash: row.previous_hash,
    occurredAt: row.occurred_at,
    receivedAt: row.received_at,
    createdAt: row.created_at,
  };
  const proof = includeProof
    ? proofJson(
        { chain: accountId, salts: row.salts, digests: row.digests },
        erasedParts(row.erased),
      )
    : undefined;
  if (format === RecordFormat.CSV) return eventCsv(event, proof);
  const json = eventJson(event);
  return proof === undefined ? `${json}\n` : `{"event":${json},"proof":${proof}}\n`;
}

function placeOf(row: RecordRow): MessageInitShape<typeof EventPlaceSchema> {
  return {
    sequenceNumber: BigInt(row.sequence_number),
    hash: row.hash,
    previousHash: row.previous_hash,
  };
}
