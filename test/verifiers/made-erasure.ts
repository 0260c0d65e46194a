// Events of which parts are erased, and their records, for tests of the verifiers: as lines, and as CSV.

import { canonicalJson, eventCsv, type JsonObject, type Part, PARTS } from "@annals/event";
import { chainOf, type Made } from "./made-export.ts";

/** A line after the erasure of these parts, which are in the order of PARTS. */
export function erasedLine(text: string, parts: readonly Part[]): string {
  const { event, proof } = JSON.parse(text) as Record<"event" | "proof", Record<string, object>>;
  const salts = Object.entries(proof["salts"] ?? {}).filter(
    ([part]) => !(parts as readonly string[]).includes(part),
  );
  const values = Object.fromEntries(parts.map((part) => [part, {}]));
  return JSON.stringify({
    event: { ...event, ...values, erased: parts },
    proof: { ...proof, salts: Object.fromEntries(salts) },
  });
}

/** The CSV record of a line. */
export function recordOfLine(line: string): string {
  const { event, proof } = JSON.parse(line) as {
    event: JsonObject & Record<string, string> & { sequence_number: number };
    proof: object;
  };
  const parts = PARTS.map((part) => [part, canonicalJson(event[part] ?? {})] as const);
  const text = (name: string): string => event[name] ?? "";
  return eventCsv(
    {
      ...(Object.fromEntries(parts) as Record<Part, string>),
      id: text("id"),
      sequenceNumber: event.sequence_number,
      action: text("action"),
      hash: text("hash"),
      previousHash: text("previous_hash"),
      occurredAt: text("occurred_at"),
      receivedAt: text("received_at"),
      createdAt: text("created_at"),
    },
    JSON.stringify(proof),
  );
}

/** The metadata of the record of an erasure. */
export const erasure = (numbers: string, parts: readonly Part[] = ["actor"]): JsonObject => ({
  erasure: "era_1",
  parts: [...parts],
  sequence_numbers: numbers,
});

/**
 * Three events, event 4 with this action and metadata, and two more events. `erased` has the parts that are
 * gone, by number; `edit` changes a line.
 */
export function recordedChain(
  chain: string,
  record: { readonly action: string; readonly metadata: JsonObject },
  erased: Readonly<Record<number, readonly Part[]>>,
  edit: (line: string, number: number) => string = (line) => line,
): Made {
  const hashOf = (made: Made) => made.places.at(-1)?.hash ?? "";
  const before = chainOf(chain, [{}, {}, {}]);
  const named = { action: record.action, id: "evt_4" };
  const own = chainOf(chain, [record.metadata], 4, hashOf(before), named);
  const after = chainOf(chain, [{}, {}], 5, hashOf(own));
  const all = [before, own, after];
  const lines = all
    .flatMap((made) => made.lines)
    .map((line, at) =>
      edit(erased[at + 1] ? erasedLine(line, erased[at + 1] ?? []) : line, at + 1),
    );
  return { lines, records: lines.map(recordOfLine), places: all.flatMap(({ places }) => places) };
}
