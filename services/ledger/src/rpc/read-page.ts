// Reads one page of the events that match a filter. Called by list-events.ts.

import type { Database } from "@annals/postgres";
import { type EventFilter, hasTime, hasValues } from "../domain/event-filter.ts";
import { searchEvents } from "../search/search-events.ts";
import type { EventRow } from "../store/event-row.ts";
import {
  listEventsByTimeAscending,
  listEventsByTimeDescending,
} from "../store/list-events-by-time.ts";
import { listEventsAscending, listEventsDescending } from "../store/list-events.ts";

interface Page {
  readonly accountId: string;
  readonly filter: EventFilter;
  readonly ascending: boolean;
  readonly limit: number;
}

export async function readPage(database: Database, page: Page): Promise<EventRow[]> {
  const { accountId, filter, ascending, limit } = page;
  if (hasValues(filter) || !hasTime(filter)) {
    const reads = ascending ? listEventsAscending : listEventsDescending;
    const rows: EventRow[] = [];
    const search = { accountId, filter, ascending, reads, limitAfter: () => limit };
    for await (const found of searchEvents(database, search)) {
      rows.push(...found);
      if (rows.length >= limit) break;
    }
    return rows.slice(0, limit);
  }
  const { afterSequence, beforeSequence, occurredFrom, occurredTo } = filter;
  return database.run(ascending ? listEventsByTimeAscending : listEventsByTimeDescending, [
    accountId,
    afterSequence?.toString() ?? null,
    beforeSequence?.toString() ?? null,
    occurredFrom ?? null,
    occurredTo ?? null,
    limit,
  ]);
}
