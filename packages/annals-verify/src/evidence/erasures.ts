// Step 4 of the verification: each erased part is named by a later record of the chain. Events come in their
// order; runs of erased events are kept, and not the events.

import { type JsonObject, type Part, PARTS } from "@annals/event";
import { EvidenceFault } from "./evidence-fault.ts";
import { type BundleEvent, RETENTION } from "./bundle-event.ts";

/** Sequence numbers, both inclusive. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** An erasure names at most a million events. */
const MAX_RANGES = 1_000_000;
const RANGE = /^([1-9]\d{0,15})(?:-([1-9]\d{0,15}))?$/;

export class Erasures {
  /** Erased runs of each part, in order. */
  readonly #erased = new Map<Part, { from: number; to: number }[]>(PARTS.map((part) => [part, []]));
  /** What records name, each before its own number. */
  readonly #recorded = new Map<Part, Range[]>(PARTS.map((part) => [part, []]));
  erasedParts = 0;
  records = 0;

  take({ erased = [], record, sequenceNumber }: BundleEvent): void {
    for (const part of erased) {
      this.erasedParts += 1;
      const runs = this.#erased.get(part) ?? [];
      const last = runs.at(-1);
      if (last !== undefined && last.to === sequenceNumber - 1) last.to += 1;
      else runs.push({ from: sequenceNumber, to: sequenceNumber });
    }
    if (record === undefined) return;
    const isRetention = record.action === RETENTION;
    const parts = isRetention ? PARTS : partsOf(record.metadata);
    const ranges = isRetention ? retainedFrom(record.metadata) : rangesOf(record.metadata);
    if (ranges.length === 0 || parts.length === 0) return;
    this.records += 1;
    for (const part of parts)
      for (const range of before(sequenceNumber, ranges)) this.#recorded.get(part)?.push(range);
  }

  /** Throws EvidenceFault (erasure_unrecorded). */
  check(): void {
    for (const part of PARTS) {
      const recorded = merged(this.#recorded.get(part) ?? []);
      let at = 0;
      for (const { from, to } of this.#erased.get(part) ?? []) {
        while ((recorded[at]?.to ?? Infinity) < from) at += 1;
        const range = recorded[at];
        const first = range === undefined || range.from > from ? from : range.to + 1;
        if (first <= to)
          throw new EvidenceFault(
            "erasure_unrecorded",
            `sequence number ${first}: ${part} is erased, and no later record says so`,
          );
      }
    }
  }
}

function retainedFrom(metadata: JsonObject): Range[] {
  const through = metadata["through_sequence"];
  return typeof through === "number" && Number.isSafeInteger(through) && through > 0
    ? [{ from: 1, to: through }]
    : [];
}

/** Empty for a record of another form, as are the ranges. */
function partsOf(metadata: JsonObject): readonly Part[] {
  const { parts } = metadata;
  return Array.isArray(parts) ? PARTS.filter((part) => parts.includes(part)) : [];
}

function rangesOf(metadata: JsonObject): Range[] {
  const { sequence_numbers: text } = metadata;
  if (typeof text !== "string") return [];
  const ranges = text.split(",", MAX_RANGES + 1).map((range): Range => {
    const [, from = "", to = from] = RANGE.exec(range) ?? [];
    return { from: Number(from), to: Number(to) };
  });
  const isValid = ranges.every(
    ({ from, to }, at) => from > (ranges[at - 1]?.to ?? 0) && to >= from,
  );
  return isValid && ranges.length <= MAX_RANGES ? ranges : [];
}

/** A record says nothing of itself, and nothing of later events. */
function before(sequenceNumber: number, ranges: readonly Range[]): Range[] {
  return ranges
    .filter(({ from }) => from < sequenceNumber)
    .map(({ from, to }) => ({ from, to: Math.min(to, sequenceNumber - 1) }));
}

/** In order, and joined where they touch. */
function merged(ranges: readonly Range[]): Range[] {
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to);
    else joined.push({ from, to });
  }
  return joined;
}
