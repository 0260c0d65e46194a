// Finds the events of an account that match a filter, page by page in the order of the chain. Called by
// ListEvents and StreamEvents. The filter index says where to look as far as it reaches, and what lies behind
// it is read event by event. What is found must not depend on how far the index is.

import { internal } from "@annals/errors";
import type { Database, Statement } from "@annals/postgres";
import { CHUNK_SIZE, chunkOf } from "../domain/chunk.ts";
import { actionRange, type EventFilter, hasTime, hasValues } from "../domain/event-filter.ts";
import { findActions } from "../store/find-actions.ts";
import { findChunksByTime } from "../store/find-chunks-by-time.ts";
import { getIndexEnd } from "../store/get-index-end.ts";
import type { ListParams, Reads } from "../store/list-events.ts";
import { readEnds } from "../store/read-ends.ts";
import { indexHits, type Term } from "./index-hits.ts";
import { listParams } from "./list-params.ts";

interface Selection {
  readonly accountId: string;
  readonly filter: EventFilter;
  readonly ascending: boolean;
}

export interface Search<Row> extends Selection {
  /** Return events in the direction of the search. */
  readonly reads: Reads<Row>;
  /** Events of a page after this one; undefined: of the first. */
  readonly limitAfter: (page?: readonly Row[]) => number;
}

interface StoredRow {
  readonly sequence_number: string;
}

/** Actions with a prefix up to which each is looked up in the index. With more of them, most events match. */
const MAX_ACTIONS = 64;

/** Events that one statement looks up by their numbers, and how many times more each further one does. */
const MAX_NUMBERS = 1_600;
const GROWTH = 4;

/** Sequence numbers, both included. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** Pages may be shorter than their limit. No page is empty. */
export async function* searchEvents<Row extends StoredRow>(
  database: Database,
  search: Search<Row>,
): AsyncGenerator<Row[]> {
  const asked = {
    from: Number(search.filter.afterSequence ?? 0n) + 1,
    to: Number(search.filter.beforeSequence ?? Infinity) - 1,
  };
  const end = await indexEnd(database, search);
  const indexed = { from: asked.from, to: Math.min(asked.to, end) };
  const behind = { from: Math.max(asked.from, end + 1), to: asked.to };
  const parts = [
    () => searchIndexed(database, search, indexed),
    () => scan(database, search, behind),
  ];
  for (const part of search.ascending ? parts : parts.toReversed()) yield* part();
}

/** The last event that is in the filter index; 0 where the filter has nothing to look up in it. */
async function indexEnd(database: Database, { accountId, filter }: Selection): Promise<number> {
  if (isPlain(filter)) return 0;
  const [row] = await database.run(getIndexEnd, [accountId]);
  return Number(row?.chunks ?? 0) * CHUNK_SIZE;
}

/** Whether a filter selects every event, of a range at most. */
function isPlain(filter: EventFilter): boolean {
  return !hasTime(filter) && !hasValues(filter);
}

async function* searchIndexed<Row extends StoredRow>(
  database: Database,
  search: Search<Row>,
  asked: Range,
): AsyncGenerator<Row[]> {
  const range = await withinTime(database, search, asked);
  if (!range) return;
  const terms = await termsOf(database, search);
  if (terms.length === 0) return yield* scan(database, search, range);
  const { accountId, ascending, limitAfter } = search;
  const statement = statementFor(search);
  let size = limitAfter();
  for await (const hits of indexHits(database, { accountId, ascending, terms, ...range })) {
    for (let at = 0; at < hits.length;) {
      const numbers = hits.slice(at, (at += size));
      const params = listParams(search, { ...range, numbers, limit: numbers.length });
      const page = await database.run(statement, params);
      if (page.length > 0) yield page;
      // Where a time leaves few of them.
      size = page.length < numbers.length ? Math.min(size * GROWTH, MAX_NUMBERS) : limitAfter(page);
    }
  }
}

/** What of an indexed range can match the times of the filter. */
async function withinTime(
  database: Database,
  { accountId, filter }: Selection,
  range: Range,
): Promise<Range | undefined> {
  if (range.from > range.to) return undefined;
  if (!hasTime(filter)) return range;
  const { occurredFrom = null, occurredTo = null } = filter;
  const chunks = [chunkOf(range.from), chunkOf(range.to)] as const;
  const [row] = await database.run(findChunksByTime, [
    accountId,
    ...chunks,
    occurredFrom,
    occurredTo,
  ]);
  if (row?.first == null || row.last == null) return undefined;
  return {
    from: Math.max(range.from, Number(row.first) * CHUNK_SIZE + 1),
    to: Math.min(range.to, (Number(row.last) + 1) * CHUNK_SIZE),
  };
}

/** What to look up; nothing where every event has to be read. */
async function termsOf(
  database: Database,
  { accountId, filter }: Selection,
): Promise<readonly Term[]> {
  const exact = exactTerms(filter);
  const { from, to } = actionRange(filter);
  if (from === null) return exact;
  const found = await database.run(findActions, [accountId, from, to, MAX_ACTIONS + 1]);
  if (found.length > MAX_ACTIONS) return exact;
  return [...exact, { field: "action", values: found.map(({ action }) => action) }];
}

function exactTerms(filter: EventFilter): Term[] {
  const { actorId, actorType, targetId, targetType } = filter;
  const values = {
    action: actionRange(filter).exact ?? undefined,
    actor_id: actorId,
    actor_type: actorType,
    target_id: targetId,
    target_type: targetType,
  };
  return Object.entries(values).flatMap(([field, value]) =>
    value === undefined ? [] : [{ field, values: [value] }],
  );
}

function statementFor<Row>({ filter, reads }: Search<Row>): Statement<ListParams, Row> {
  const { actorId, actorType, targetId, targetType } = filter;
  const isByPayload = [actorId, actorType, targetId, targetType].some((one) => one !== undefined);
  return isByPayload ? reads.payloadsFirst : reads.chainFirst;
}

/** Reads every event of a range. */
async function* scan<Row extends StoredRow>(
  database: Database,
  search: Search<Row>,
  range: Range,
): AsyncGenerator<Row[]> {
  let { from, to } = range;
  const statement = statementFor(search);
  for (let limit = search.limitAfter(); from <= to;) {
    const params = listParams(search, { from, to, numbers: null, limit });
    let page = await database.run(statement, params);
    if (isPlain(search.filter)) {
      let first = search.ascending ? from : Number(page[0]?.sequence_number ?? 0);
      // It is the last one of the range, unless the range goes beyond the head.
      if (!search.ascending && to !== Infinity && first !== to) {
        const [ends] = await database.run(readEnds, [search.accountId]);
        if (Number(ends?.head_sequence ?? 0) >= to) {
          page = await database.run(statement, params);
          first = to;
        }
      }
      refuseHole(search.accountId, page, first, search.ascending ? 1 : -1);
    }
    if (page.length > 0) yield page;
    if (page.length < limit) return;
    const last = Number(page.at(-1)?.sequence_number);
    if (search.ascending) from = last + 1;
    else to = last - 1;
    limit = search.limitAfter(page);
  }
}

/**
 * Rejects where a page of all events of a range lacks one: a list that left it out would look complete. The
 * page may end before the range does. What is missing at the head, verification finds.
 */
function refuseHole(accountId: string, page: readonly StoredRow[], first: number, step: 1 | -1) {
  for (const [index, { sequence_number: number }] of page.entries()) {
    const expected = first + index * step;
    if (Number(number) !== expected)
      throw internal(`the chain of ${accountId} lacks event ${expected}: verify it`);
  }
}
