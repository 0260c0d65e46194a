// The body of a delivery (interface 2.5): `{"id":…,"event":…,"data":…,"timestamp":…}`. The id differs for
// each delivery and is added when it is sent; the rest, the tail, is the same for all webhooks and stored
// once. `data` is the JSON text that the operation returned, unchanged.

export interface Entry {
  /** In the sequence of its account and kind. */
  readonly position: bigint;
  /** The event's name. */
  readonly name: string;
  /** JSON text. */
  readonly data: string;
}

/** What follows the id, from the comma on. `timestamp` is UTC with six fraction digits. */
export function payloadTail({ name, data }: Entry, timestamp: string): string {
  return `,"event":${JSON.stringify(name)},"data":${data},"timestamp":"${timestamp}"}`;
}

export function payloadBody(id: string, tail: string): Buffer {
  return Buffer.from(`{"id":"${id}"${tail}`);
}
