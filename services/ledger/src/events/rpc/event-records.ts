// Stored events as the records of an export or a sink (docs/exports.md), ready to be written, so that their
// reader neither parses nor renders events. Called by stream-events.ts. A record must never have a byte of a
// part that is left out.

import { WIDGET_PARTS, type WidgetPart } from "@annals/contract";
import { erasedParts, eventCsv, eventJson, eventJsonWithout, proofJson } from "@annals/event";
import {
  type EventPlaceSchema,
  RecordFormat,
  type StreamEventsResponseSchema,
} from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { hideParts, partOf } from "../rules/hide-parts.ts";
import type { RecordRow } from "../../store/stream-events.ts";

export type Format = RecordFormat.JSONL | RecordFormat.CSV;

interface RecordOptions {
  readonly accountId: string;
  readonly includeProof: boolean;
  readonly format: Format;
  /** Parts that the records lack; only of lines. */
  readonly leaveOut?: readonly WidgetPart[];
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

function record(row: RecordRow, options: RecordOptions): string {
  const { accountId, includeProof, format, leaveOut = [] } = options;
  if (leaveOut.length > 0) return partialRecord(row, { ...options, leaveOut });
  const event = eventIn(row);
  const erased = erasedParts(row.erased);
  const proof = includeProof ? proofJson(proofIn(row, accountId), erased) : undefined;
  return format === RecordFormat.CSV ? eventCsv(event, proof) : line(eventJson(event), proof);
}

/** The salt of a part is left out with it, so that guesses at the part cannot be confirmed. */
function partialRecord(
  row: RecordRow,
  { accountId, includeProof, leaveOut }: RecordOptions & Required<Pick<RecordOptions, "leaveOut">>,
): string {
  const shown = WIDGET_PARTS.filter((part) => !leaveOut.includes(part));
  const { hidden, ...parts } = hideParts({ ...row, salts: Buffer.from(row.salts, "hex") }, shown);
  const visible = { ...row, ...parts, salts: row.salts };
  const withheld = [...hidden.map(partOf), ...erasedParts(row.erased)];
  const proof = includeProof ? proofJson(proofIn(row, accountId), withheld) : undefined;
  return line(eventJsonWithout(new Set(hidden), eventIn(visible)), proof);
}

function line(json: string, proof: string | undefined): string {
  return proof === undefined ? `${json}\n` : `{"event":${json},"proof":${proof}}\n`;
}

function proofIn({ digests, salts }: RecordRow, chain: string) {
  return { chain, salts, digests };
}

function eventIn(row: RecordRow) {
  return {
    // The id, the action, the hash and the parts have the same names in both.
    ...row,
    sequenceNumber: BigInt(row.sequence_number),
    previousHash: row.previous_hash,
    occurredAt: row.occurred_at,
    receivedAt: row.received_at,
    createdAt: row.created_at,
  };
}

function placeOf(row: RecordRow): MessageInitShape<typeof EventPlaceSchema> {
  return {
    sequenceNumber: BigInt(row.sequence_number),
    hash: row.hash,
    previousHash: row.previous_hash,
  };
}
