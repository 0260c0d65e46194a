// Which events of an account the filter index says to match a filter, in the direction of the search. Called
// by search-events.ts, which reads these events and compares them with the filter itself.

import type { Database } from "@annals/postgres";
import { CHUNK_SIZE, chunkOf } from "../domain/chunk.ts";
import { findPostings, type PostingRow } from "../store/find-postings.ts";

/** Values of one field of which an event must have one. */
export interface Term {
  readonly field: string;
  readonly values: readonly string[];
}

export interface IndexSearch {
  readonly accountId: string;
  /** One at least. An event must match each. */
  readonly terms: readonly Term[];
  readonly ascending: boolean;
  /** Sequence numbers of indexed chunks, both included. */
  readonly from: number;
  readonly to: number;
}

/** Chunks of the first statement, and how many times more each further one reads. */
const FIRST_CHUNKS = 2;
const GROWTH = 4;
/**
 * At most, where all that is found counts: then so many are read of rare values only. And where a second term
 * leaves little of what is found.
 */
const MAX_CHUNKS = 1_024;
const MAX_CHUNKS_OF_SEVERAL_TERMS = 32;

/** Sequence numbers in the direction of the search, those of a few chunks at a time. */
export async function* indexHits(
  database: Database,
  { accountId, terms, ascending, from, to }: IndexSearch,
): AsyncGenerator<number[]> {
  const pairs = terms.flatMap(({ field, values }) =>
    values.map((value) => [field, value] as const),
  );
  const fields = pairs.map(([field]) => field);
  const values = pairs.map(([, value]) => value);
  const maxChunks = terms.length > 1 ? MAX_CHUNKS_OF_SEVERAL_TERMS : MAX_CHUNKS;
  let [first, last] = [chunkOf(from), chunkOf(to)];
  for (let chunks = FIRST_CHUNKS; first <= last; chunks = Math.min(chunks * GROWTH, maxChunks)) {
    const window = ascending
      ? { from: first, to: Math.min(last, first + chunks - 1) }
      : { from: Math.max(first, last - chunks + 1), to: last };
    const rows = await database.run(findPostings, [
      accountId,
      window.from,
      window.to,
      fields,
      values,
    ]);
    const numbers = matching(rows, terms).filter((number) => number >= from && number <= to);
    if (numbers.length > 0) yield ascending ? numbers : numbers.toReversed();
    if (ascending) first = window.to + 1;
    else last = window.from - 1;
  }
}

/** The sequence numbers, ascending, with a value of each term. */
function matching(rows: readonly PostingRow[], terms: readonly Term[]): number[] {
  const numbers: number[] = [];
  const chunks = Map.groupBy(rows, ({ chunk }) => Number(chunk));
  for (const chunk of [...chunks.keys()].toSorted((one, other) => one - other)) {
    const fields = Map.groupBy(chunks.get(chunk) ?? [], ({ field }) => field);
    if (fields.size < terms.length) continue;
    const lists = [...fields.values()].map((postings) =>
      postings.flatMap(({ ordinals }) => ordinals),
    );
    const [shortest = [], ...others] = lists.toSorted((one, other) => one.length - other.length);
    const sets = others.map((list) => new Set(list));
    const before = chunk * CHUNK_SIZE + 1;
    for (const ordinal of shortest.toSorted((one, other) => one - other)) {
      if (sets.every((set) => set.has(ordinal))) numbers.push(before + ordinal);
    }
  }
  return numbers;
}
