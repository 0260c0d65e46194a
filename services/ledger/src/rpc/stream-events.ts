// StreamEvents: every matching event of a range in ascending order as the records of an export, page by page
// in constant memory. For other services; no client of the interface reaches it.

import { complete, invalid } from "@annals/errors";
import { PARTS } from "@annals/event";
import type { Pool } from "@annals/postgres";
import { EventFilterSchema, type LedgerService, RecordFormat } from "@annals/proto/ledger";
import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { searchEvents } from "../search/search-events.ts";
import { type RecordRow, streamEvents as streamEventsStatement } from "../store/stream-events.ts";
import { eventRecords, type Format } from "./event-records.ts";

/**
 * Events of one page. A statement is planned for each page, so pages are large; larger ones cost their reader
 * more than they save (docs/performance.md). Where events are large, the size of the last page reduces the
 * next.
 */
const FIRST_PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 200;
const PAGE_CHARACTERS = 1024 * 1024;

interface Deps {
  readonly database: Pool;
}

export function streamEvents({
  database,
}: Deps): ServiceImpl<typeof LedgerService>["streamEvents"] {
  return async function* ({ accountId, filter, includeProof, format }, { signal }) {
    complete({ account_id: accountId });
    if (!isKnown(format)) throw invalid({ field: "format", message: "is not known" });
    const events = searchEvents(database.forAccount(accountId, signal), {
      accountId,
      filter: filter ?? create(EventFilterSchema),
      ascending: true,
      reads: streamEventsStatement,
      limitAfter,
    });
    for await (const rows of readAhead(events)) {
      // A stream that ended here without an error would look complete to its reader.
      signal.throwIfAborted();
      yield* eventRecords(rows, { accountId, includeProof, format });
    }
  };
}

function isKnown(format: RecordFormat): format is Format {
  return format === RecordFormat.JSONL || format === RecordFormat.CSV;
}

/** Large events make the next page smaller. */
function limitAfter(page?: readonly RecordRow[]): number {
  if (!page) return FIRST_PAGE_SIZE;
  let characters = 0;
  for (const row of page) for (const part of PARTS) characters += row[part].length;
  const fitting = Math.floor((PAGE_CHARACTERS / characters) * page.length);
  return Math.max(1, Math.min(fitting, MAX_PAGE_SIZE));
}

/** Asks for the next page before it gives one: PostgreSQL reads it while this one is rendered and sent. */
async function* readAhead<T>(pages: AsyncGenerator<T>): AsyncGenerator<T> {
  const ask = () => {
    const next = pages.next();
    // The stream may end before it awaits this page. Awaiting it still rejects.
    next.catch(() => {});
    return next;
  };
  try {
    for (let next = ask(); ;) {
      const { done, value } = await next;
      if (done) return;
      next = ask();
      yield value;
    }
  } finally {
    await pages.return(undefined);
  }
}
