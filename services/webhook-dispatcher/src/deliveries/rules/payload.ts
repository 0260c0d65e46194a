// The body of a delivery (interface 9.2): `{"id":…,"event":…,"data":…,"timestamp":…}`. `data` is the JSON
// text that the operation returned, unchanged. Every attempt sends the same bytes: the id is of the delivery,
// the timestamp is when it was queued, and an event never changes.

import { eventOf } from "../../webhooks/rules/kinds.ts";

export interface Entry {
  /** Position in the sequence of its account and kind. */
  readonly position: bigint;
  /** The event's name. */
  readonly name: string;
  /** JSON text; undefined for an event that is read when it is sent. */
  readonly data: string | undefined;
  /** Approximate bytes of the body. */
  readonly bytes: number;
}

/** Bytes of the body of an event besides its parts. */
const FRAME_BYTES = 640;

/** Whether deliveries of the entry name its position and store no body. */
export function isByReference({ name }: Pick<Entry, "name">): boolean {
  return name === eventOf("events");
}

export function entryOf(position: bigint, name: string, data: string): Entry {
  return { position, name, data, bytes: Buffer.byteLength(data) };
}

/** Makes the entry of an event whose parts have `bytes`. */
export function eventEntry(position: bigint, bytes: number): Entry {
  return { position, name: eventOf("events"), data: undefined, bytes: bytes + FRAME_BYTES };
}

interface Payload {
  readonly id: string;
  readonly event: string;
  /** JSON text in UTF-8. */
  readonly data: Buffer;
  /** Time in UTC with six fraction digits. */
  readonly timestamp: string;
}

export function payloadBody({ id, event, data, timestamp }: Payload): Buffer {
  const head = `{"id":"${id}","event":${JSON.stringify(event)},"data":`;
  return Buffer.concat([Buffer.from(head), data, Buffer.from(`,"timestamp":"${timestamp}"}`)]);
}
