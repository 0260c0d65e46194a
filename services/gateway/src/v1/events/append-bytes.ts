// An append in protobuf's wire form, written straight from what was read. It must hold what toBinary of
// protobuf-es would make of the same append.
//
// Ours, and not toBinary, for time and memory: that makes a message of each event first, and begins each call
// with a buffer of 128 bytes that it doubles, clears and copies until all has room.

import { AppendSchema, CreateEventsRequestSchema, NewEventSchema } from "@annals/proto/ledger";
import type { DescField } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { AppendRequest } from "./event-appends.ts";

const { field: REQUEST } = CreateEventsRequestSchema;
const { field: APPEND } = AppendSchema;
const { field: EVENT } = NewEventSchema;

/** A writer keeps the memory of the largest append that it wrote: one of more than this is let go. */
const KEPT_BYTES = 512 * 1024;
let spare: BinaryWriter | undefined;

/** A CreateEventsRequest with this append alone. */
export function appendBytes(append: AppendRequest): Uint8Array {
  // Taken for as long as it is at work: one that failed half-way does not come back.
  const writer = spare ?? new BinaryWriter();
  spare = undefined;
  const text = ({ number }: DescField, value: string | undefined): void => {
    if (value !== undefined) writer.tag(number, WireType.LengthDelimited).string(value);
  };
  writer.tag(REQUEST.appends.number, WireType.LengthDelimited).fork();
  text(APPEND.accountId, append.accountId);
  text(APPEND.receivedAt, append.receivedAt);
  text(APPEND.idempotencyKey, append.idempotencyKey);
  writer.tag(APPEND.requestSha256.number, WireType.LengthDelimited).bytes(append.requestSha256);
  for (const event of append.events) {
    writer.tag(APPEND.events.number, WireType.LengthDelimited).fork();
    text(EVENT.action, event.action);
    text(EVENT.occurredAt, event.occurredAt);
    text(EVENT.actor, event.actor);
    text(EVENT.context, event.context);
    text(EVENT.diff, event.diff);
    text(EVENT.metadata, event.metadata);
    text(EVENT.target, event.target);
    text(EVENT.actorId, event.actorId);
    text(EVENT.actorType, event.actorType);
    text(EVENT.targetId, event.targetId);
    text(EVENT.targetType, event.targetType);
    writer.join();
  }
  if (append.monthlyQuota !== undefined) {
    writer.tag(APPEND.monthlyQuota.number, WireType.Varint).int64(append.monthlyQuota);
  }
  const bytes = writer.join().finish();
  if (bytes.length <= KEPT_BYTES) spare = writer;
  return bytes;
}
