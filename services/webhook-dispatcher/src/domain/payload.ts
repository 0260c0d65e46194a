// The text of a delivery (interface 2.5): `{"id":…,"event":…,"data":…,"timestamp":…}`. The id is
// the delivery's own and goes in front when it is stored; the tail is one for all webhooks. `data`
// is set in as the text that the operation returned.

export interface Entry {
  /** In the row of its account and kind. */
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
