// StreamEvents: every matching event of a range in ascending order, page by page in constant
// memory. For other services; no client of the interface reaches it. While one page is on its way
// PostgreSQL reads the next.

import { complete } from "@annals/errors";
import type { Database, Statement } from "@annals/postgres";
import type { LedgerService, StreamEventsResponseSchema } from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { EventRow } from "../store/event-row.ts";
import { AFTER, LIMIT, listEventsAscending, type ListParams } from "../store/list-events.ts";
import { type LineRow, streamLines } from "../store/stream-lines.ts";
import { eventLines } from "./event-lines.ts";
import { listParams } from "./list-params.ts";
import { renderEvent, type RenderOptions } from "./render-event.ts";

/**
 * Events that are read at a time. A statement is planned for each page, so pages are large; larger ones cost
 * their reader more than they save (docs/performance.md). Where events are large too, what those of the last
 * page weighed makes the next one smaller.
 */
const FIRST_PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 200;
const PAGE_CHARACTERS = 1024 * 1024;
/**
 * Events of one message: of the largest allowed size they stay well under its limit, and a reader holds few
 * at a time.
 */
const MESSAGE_SIZE = 50;

interface Deps {
  readonly database: Database;
}

type Response = MessageInitShape<typeof StreamEventsResponseSchema>;

export function streamEvents({
  database,
}: Deps): ServiceImpl<typeof LedgerService>["streamEvents"] {
  return async function* ({ accountId, filter, includeProof, asJsonLines }, { signal }) {
    complete({ account_id: accountId });
    const first = listParams(accountId, filter, FIRST_PAGE_SIZE);
    const options = { accountId, includeProof };
    yield* asJsonLines
      ? pages(database, first, signal, streamLines, (rows) => inLines(rows, options))
      : pages(database, first, signal, listEventsAscending, (rows) => inMessages(rows, options));
  };
}

/**
 * The events page by page, each page asked for as soon as the one before is there: one ahead at most. It is
 * rendered at once, so that rows, many small objects, are gone before they are old.
 */
async function* pages<Row extends EventRow | LineRow>(
  database: Database,
  first: ListParams,
  signal: AbortSignal,
  statement: Statement<ListParams, Row>,
  render: (rows: readonly Row[]) => Response[],
): AsyncGenerator<Response> {
  const read = async (params: ListParams) => {
    const rows = await database.run(statement, params);
    return { responses: render(rows), following: following(params, rows) };
  };
  for (let next: ReturnType<typeof read> | undefined = read(first); next;) {
    const { responses, following: params }: Awaited<typeof next> = await next;
    // A stream that simply ended here would look whole to its reader.
    signal.throwIfAborted();
    next = params && read(params);
    // Nobody may be left to take it. Whoever asks for the page hears of a failure all the same.
    next?.catch(() => {});
    yield* responses;
  }
}

/** What to ask for after the page that `params` gave; undefined where that was the last. */
function following(
  params: ListParams,
  rows: readonly (EventRow | LineRow)[],
): ListParams | undefined {
  const last = rows.at(-1);
  if (last === undefined || rows.length < params[LIMIT]) return undefined;
  let characters = 0;
  for (const { actor, context, diff, metadata, target } of rows) {
    characters += actor.length + context.length + diff.length + metadata.length + target.length;
  }
  const fitting = Math.floor((PAGE_CHARACTERS / characters) * rows.length);
  const next: ListParams = [...params];
  next[AFTER] = last.sequence_number;
  next[LIMIT] = Math.max(1, Math.min(fitting, MAX_PAGE_SIZE));
  return next;
}

function inMessages(rows: readonly EventRow[], options: RenderOptions): Response[] {
  const responses: Response[] = [];
  for (let from = 0; from < rows.length; from += MESSAGE_SIZE) {
    const some = rows.slice(from, from + MESSAGE_SIZE);
    responses.push({ events: some.map((row) => renderEvent(row, options)) });
  }
  return responses;
}

function inLines(rows: readonly LineRow[], options: RenderOptions): Response[] {
  return Array.from(eventLines(rows, options), (lines) => ({ lines }));
}
