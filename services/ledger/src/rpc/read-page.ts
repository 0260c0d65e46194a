// Reads one page of the events that match a filter, by the statement that is fastest for it: time blocks for
// a time alone, the index of a filter otherwise. Called by list-events.ts.

import type { Database } from "@annals/postgres";
import type { EventFilter as EventFilterMessage } from "@annals/proto/ledger";
import { isByTimeOnly } from "../domain/event-filter.ts";
import type { EventRow } from "../store/event-row.ts";
import {
  listEventsByTimeAscending,
  listEventsByTimeDescending,
} from "../store/list-events-by-time.ts";
import { listEventsAscending, listEventsDescending } from "../store/list-events.ts";
import { listParams } from "./list-params.ts";

interface Page {
  readonly accountId: string;
  readonly filter: EventFilterMessage | undefined;
  readonly ascending: boolean;
  readonly limit: number;
}

export function readPage(
  database: Database,
  { accountId, filter, ascending, limit }: Page,
): Promise<EventRow[]> {
  if (!filter || !isByTimeOnly(filter)) {
    const statement = ascending ? listEventsAscending : listEventsDescending;
    return database.run(statement, listParams(accountId, filter, limit));
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
