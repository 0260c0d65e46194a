// The events of an account that match a filter according to the filter index, in the order of the search.
// Called by find-numbers.ts. When these events are read, they are compared with the filter again.

import type { Database } from "@annals/postgres";
import { CHUNK_SIZE } from "./rules/chunk.ts";
import { findPostings, type PostingRow } from "./store/find-postings.ts";
import type { Budget } from "./budget.ts";
import { matchesOf, type Search } from "./matches.ts";
import { inOrder, type Range } from "./range.ts";
import type { Term, Terms } from "./terms.ts";

interface IndexSearch extends Terms {
  readonly database: Database;
  readonly search: Search;
  readonly budget: Budget;
  /** Range of sequence numbers. */
  readonly range: Range;
  /** Indexed chunks, in the order of the search. */
  readonly chunks: readonly number[];
}

/** Chunks that the first statement reads, and the factor by which each further statement reads more. */
const FIRST_CHUNKS = 2;
const GROWTH = 4;
/** Bounds of one statement: postings that it may find, and stored bytes of those that it reads. */
const MAX_POSTINGS = 1_024;
const MAX_BYTES = 64 * 1024;
/** Stored bytes that the first statement reads: a chunk of which many events match is enough for a page. */
const FIRST_BYTES = 2 * 1024;
/** Maximum events that one statement compares. */
const MAX_NUMBERS = 2_048;
/** Cost of a compared event in rows of the budget: each is looked up. */
const COMPARED_COST = 2;

/** Yields steps, each with the hits of a few chunks. */
export async function* indexHits(
  within: IndexSearch,
): AsyncGenerator<{ readonly numbers: readonly number[]; readonly reached: number }> {
  const { chunks, terms, isAll, search, range } = within;
  const { ascending } = search;
  const pairs = terms.reduce((sum, { values }) => sum + values.length, 0);
  const maxChunks = Math.max(1, Math.floor(MAX_POSTINGS / pairs));
  let size = FIRST_CHUNKS;
  for (let at = 0; at < chunks.length;) {
    size = Math.min(size, maxChunks);
    const asked = chunks.slice(at, at + size);
    const isFirst = at === 0;
    const { found, read } = await lookUp(within, asked, isFirst ? FIRST_BYTES : MAX_BYTES);
    at += read.length;
    size = isFirst || read.length === asked.length ? size * GROWTH : read.length;
    const hits = found.filter((number) => number >= range.from && number <= range.to);
    const numbers = inOrder(hits, ascending);
    const last = read.at(-1) ?? 0;
    const end = ascending
      ? Math.min(range.to, (last + 1) * CHUNK_SIZE)
      : Math.max(range.from, last * CHUNK_SIZE + 1);
    if (isAll) yield { numbers, reached: end };
    else yield* compared(within, numbers, end);
  }
}

/** The sequence numbers, ascending, with a value of each term, in as many of the chunks as were read. */
async function lookUp(
  { database, search, budget, terms }: IndexSearch,
  chunks: readonly number[],
  maxBytes: number,
): Promise<{ readonly found: number[]; readonly read: readonly number[] }> {
  const fields = terms.flatMap(({ field, values }) => values.map(() => field));
  const values = terms.flatMap((term) => term.values);
  const direction = search.ascending ? 1 : -1;
  const params = [search.accountId, chunks, fields, values, direction, maxBytes] as const;
  const rows = await database.run(findPostings, [...params]);
  const left = new Set(rows.flatMap(({ chunk, ordinals }) => (ordinals ? [] : [Number(chunk)])));
  const end = chunks.findIndex((chunk) => left.has(chunk));
  const inRead = rows.filter(({ ordinals }) => ordinals !== null);
  budget.spendPostings(
    rows.length,
    inRead.reduce((sum, { ordinals }) => sum + (ordinals?.length ?? 0), 0),
  );
  return { found: intersect(inRead, terms), read: end < 0 ? chunks : chunks.slice(0, end) };
}

/** Yields the hits that match the rest of the filter, some at a time. */
async function* compared(
  { database, search, budget }: IndexSearch,
  hits: readonly number[],
  end: number,
) {
  for (let at = 0; at < hits.length; at += MAX_NUMBERS) {
    const some = hits.slice(at, at + MAX_NUMBERS);
    const matches = await matchesOf(database, search, some);
    budget.spend(some.length * COMPARED_COST);
    const numbers = inOrder(matches, search.ascending);
    yield { numbers, reached: at + MAX_NUMBERS < hits.length ? (some.at(-1) ?? end) : end };
  }
  if (hits.length === 0) yield { numbers: hits, reached: end };
}

function intersect(rows: readonly PostingRow[], terms: readonly Term[]): number[] {
  const numbers: number[] = [];
  const chunks = Map.groupBy(rows, ({ chunk }) => Number(chunk));
  for (const chunk of [...chunks.keys()].toSorted((one, other) => one - other)) {
    const fields = Map.groupBy(chunks.get(chunk) ?? [], ({ field }) => field);
    if (fields.size < terms.length) continue;
    // The union of the values of each field. A wrong posting may have what another one has.
    const unions = [...fields.values()].map(
      (postings) => new Set(postings.flatMap(({ ordinals }) => ordinals ?? [])),
    );
    const [smallest = new Set<number>(), ...others] = unions.toSorted(
      (one, other) => one.size - other.size,
    );
    const before = chunk * CHUNK_SIZE + 1;
    for (const ordinal of [...smallest].toSorted((one, other) => one - other)) {
      if (others.every((set) => set.has(ordinal))) numbers.push(before + ordinal);
    }
  }
  return numbers;
}
