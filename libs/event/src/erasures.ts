// Whether each erased part is named by a later record of the chain. The ledger calls it, annals-verify, the
// SDK and the viewer. Runs of erased events are kept, and not the events.

import { type Part, PARTS } from "./event-members.ts";
import type { JsonObject } from "./json/json-value.ts";

/** The records that say what is erased. */
export const ERASURE = "annals.erasure";
export const RETENTION = "annals.retention";

interface TakenEvent {
  readonly sequenceNumber: number;
  /** Absent if all parts are there. */
  readonly erased?: readonly Part[];
  /** For a record of an erasure or of retention whose metadata is there. */
  readonly record?: Named;
}

interface Named {
  readonly action: string;
  readonly metadata: JsonObject;
}

export interface UnrecordedErasure {
  readonly sequenceNumber: number;
  readonly part: Part;
}

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

  take({ erased = [], record, sequenceNumber }: TakenEvent): void {
    for (const part of erased) {
      this.erasedParts += 1;
      const runs = this.#erased.get(part) ?? [];
      const last = runs.at(-1);
      if (last?.to === sequenceNumber - 1) last.to += 1;
      else if (last?.from === sequenceNumber + 1) last.from -= 1;
      else runs.push({ from: sequenceNumber, to: sequenceNumber });
    }
    if (record === undefined) return;
    const { parts, ranges } = namedBy(record);
    if (ranges.length === 0 || parts.length === 0) return;
    this.records += 1;
    for (const part of parts)
      for (const range of before(sequenceNumber, ranges)) this.#recorded.get(part)?.push(range);
  }

  /** The first erased part, by PARTS and then by number, that no later record names. */
  get unrecorded(): UnrecordedErasure | undefined {
    const [first] = this.#unrecordedRuns();
    return first && { sequenceNumber: first.from, part: first.part };
  }

  /** How many erased parts no later record names. */
  get unrecordedParts(): number {
    let parts = 0;
    for (const { from, to } of this.#unrecordedRuns()) parts += to - from + 1;
    return parts;
  }

  *#unrecordedRuns(): Generator<Range & { readonly part: Part }> {
    for (const part of PARTS) {
      const recorded = merged(this.#recorded.get(part) ?? []);
      let at = 0;
      for (const { from, to } of merged(this.#erased.get(part) ?? [])) {
        let next = from;
        while (next <= to) {
          while ((recorded[at]?.to ?? Infinity) < next) at += 1;
          const range = recorded[at] ?? { from: Infinity, to: Infinity };
          if (range.from > next) yield { part, from: next, to: Math.min(to, range.from - 1) };
          next = range.to + 1;
        }
      }
    }
  }
}

/** What a record says: empty for one of another form. */
function namedBy({ action, metadata }: Named): {
  readonly parts: readonly Part[];
  readonly ranges: readonly Range[];
} {
  return action === RETENTION
    ? { parts: PARTS, ranges: retainedFrom(metadata) }
    : { parts: partsOf(metadata), ranges: rangesOf(metadata) };
}

/** What a record says is erased, before its own number. */
export function recordedRanges(
  record: Named,
  sequenceNumber: number,
): { readonly parts: readonly Part[]; readonly ranges: readonly Range[] } {
  const { parts, ranges } = namedBy(record);
  return { parts, ranges: before(sequenceNumber, ranges) };
}

/** The parts of an event that a record says are erased. Whatever it reads may be forged. */
export function recordedParts(
  record: { readonly action: string; readonly metadata?: object | undefined },
  sequenceNumber: number,
): readonly Part[] {
  const { action, metadata = {} } = record;
  if (action !== ERASURE) return [];
  const { parts, ranges } = namedBy({ action, metadata: metadata as JsonObject });
  const isNamed = ranges.some(({ from, to }) => sequenceNumber >= from && sequenceNumber <= to);
  return isNamed ? parts : [];
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
  if (!Array.isArray(parts)) return [];
  const named = PARTS.filter((part) => parts.includes(part));
  return named.length === parts.length ? named : [];
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

/** In order, and joined if they touch. */
function merged(ranges: readonly Range[]): Range[] {
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to);
    else joined.push({ from, to });
  }
  return joined;
}
