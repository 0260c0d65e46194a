// StreamEvents: every matching event of a range in ascending order as the records of an export, page by page
// in constant memory. For other services; no client of the interface reaches it.

import { complete, invalid } from "@annals/errors";
import { PARTS } from "@annals/event";
import type { Database } from "@annals/postgres";
import { type LedgerService, RecordFormat } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { AFTER, LIMIT, type ListParams } from "../store/list-events.ts";
import { type RecordRow, streamEvents as streamEventsStatement } from "../store/stream-events.ts";
import { eventRecords, type Format } from "./event-records.ts";
import { listParams } from "./list-params.ts";

/**
 * Events of one page. A statement is planned for each page, so pages are large; larger ones cost their reader
 * more than they save (docs/performance.md). Where events are large, the size of the last page reduces the
 * next.
 */
const FIRST_PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 200;
const PAGE_CHARACTERS = 1024 * 1024;

interface Deps {
  readonly database: Database;
}

export function streamEvents({
  database,
}: Deps): ServiceImpl<typeof LedgerService>["streamEvents"] {
  return async function* ({ accountId, filter, includeProof, format }, { signal }) {
    complete({ account_id: accountId });
    if (!isKnown(format)) throw invalid({ field: "format", message: "is not known" });
    const first = listParams(accountId, filter, FIRST_PAGE_SIZE);
    for await (const rows of pages(database, first, signal)) {
      yield* eventRecords(rows, { accountId, includeProof, format });
    }
  };
}

function isKnown(format: RecordFormat): format is Format {
  return format === RecordFormat.JSONL || format === RecordFormat.CSV;
}

/**
 * The events page by page, with one page of read-ahead: PostgreSQL reads the next page while this one is
 * rendered and sent.
 */
async function* pages(
  database: Database,
  first: ListParams,
  signal: AbortSignal,
): AsyncGenerator<readonly RecordRow[]> {
  let params: ListParams | undefined = first;
  for (let next = database.run(streamEventsStatement, first); params;) {
    const rows: readonly RecordRow[] = await next;
    // A stream that ended here without an error would look complete to its reader.
    signal.throwIfAborted();
    params = following(params, rows);
    if (params) {
      next = database.run(streamEventsStatement, params);
      // The stream may end before it awaits this page. Awaiting it still rejects.
      next.catch(() => {});
    }
    yield rows;
  }
}

/** The parameters of the next page; undefined after the last. */
function following(params: ListParams, rows: readonly RecordRow[]): ListParams | undefined {
  const last = rows.at(-1);
  if (last === undefined || rows.length < params[LIMIT]) return undefined;
  let characters = 0;
  for (const row of rows) for (const part of PARTS) characters += row[part].length;
  const fitting = Math.floor((PAGE_CHARACTERS / characters) * rows.length);
  const next: ListParams = [...params];
  next[AFTER] = last.sequence_number;
  next[LIMIT] = Math.max(1, Math.min(fitting, MAX_PAGE_SIZE));
  return next;
}
