// What an account with declared fields can do to the harm of others: events whose values fill the filter
// index, and requests that read it. Called in the process of attack-child.ts. Each connection sends again as
// soon as it is answered.

import { HttpClient } from "@annals/testing";

export const ATTACK_NAMES = [
  "events with 16 values of their own",
  "events with 10,000 elements",
  "lists, bars and facets by declared fields",
] as const;

export type AttackName = (typeof ATTACK_NAMES)[number];

export interface Target {
  readonly name: AttackName;
  readonly baseUrl: string;
  readonly key: string;
}

export const FIELDS = 16;
/** The longest that is a key of the index. */
const VALUE_BYTES = 256;
const ELEMENTS = 10_000;
/** Events of a batch, which is below 4 MiB. */
const DENSE = 500;
const WIDE = 30;
const CONNECTIONS = 16;

/** A value that no other event and no other field has. */
export function valueOf(event: number, field: number): string {
  return `${event}.${field}.`.padEnd(VALUE_BYTES, "x");
}

/** Events with a value of their own in each of 16 fields, from a number on. */
export function denseBatch(from: number): object {
  const events = Array.from({ length: DENSE }, (_, at) => ({
    action: "dense",
    metadata: Object.fromEntries(
      Array.from({ length: FIELDS }, (__, field) => [`f${field}`, valueOf(from + at, field)]),
    ),
  }));
  return { events };
}

/** Events with so many elements that the index takes none of them. */
function wideBatch(): object {
  const elements = Array.from({ length: ELEMENTS }, (_, at) => at);
  return {
    events: Array.from({ length: WIDE }, () => ({ action: "wide", metadata: { f0: elements } })),
  };
}

const names = Array.from({ length: FIELDS }, (_, at) => `field.f${at}`);
const SIX = names.slice(0, 6).map((name) => `field=${name}`);

const READS: readonly string[] = [
  `/v1/events/facets?${SIX.join("&")}`,
  "/v1/events/facets?field=field.f7&prefix=1",
  "/v1/events/histogram?by=field.f8&interval=1m&occurred_from=2026-01-01T00:00:00Z",
  `/v1/events?limit=100&${names.map((name) => `${name}=9*`).join("&")}`,
  `/v1/events?limit=100&${names.map((name) => `not.${name}=*`).join("&")}`,
  "/v1/events?limit=100&text=nothing%20has%20this",
];

export function attack({ baseUrl, key, name }: Target): void {
  for (let connection = 0; connection < CONNECTIONS; connection += 1)
    void again(new HttpClient(baseUrl, key), name, connection);
}

async function again(client: HttpClient, name: AttackName, connection: number): Promise<never> {
  const wide = wideBatch();
  // Each connection has numbers of its own, so that each value is one of its own.
  for (let from = connection * 1e9; ; from += DENSE) {
    const answer =
      name === "lists, bars and facets by declared fields"
        ? client.get(READS[(from / DENSE + connection) % READS.length] ?? "")
        : client.post(
            "/v1/events/batch",
            name === "events with 10,000 elements" ? wide : denseBatch(from),
          );
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await answer.catch(() => {});
  }
}
