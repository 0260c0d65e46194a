// StreamEvents: every matching event of a range in ascending order, as the records of an export or a sink,
// page by page in constant memory. It is for other services: no client of the interface reaches it.

import { WIDGET_PARTS, type WidgetPart } from "@annals/contract";
import { complete, invalid } from "@annals/errors";
import { EventFilterSchema, type LedgerService, RecordFormat } from "@annals/proto/ledger";
import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { SearchTurns } from "../../search/search-turns.ts";
import { streamPages } from "../../search/stream-pages.ts";
import { Progress } from "../rules/progress.ts";
import { eventRecords, type Format } from "./event-records.ts";

interface Deps {
  readonly searches: SearchTurns;
}

export function streamEvents({
  searches,
}: Deps): ServiceImpl<typeof LedgerService>["streamEvents"] {
  return async function* ({ accountId, filter, includeProof, format, ...request }, context) {
    complete({ account_id: accountId });
    if (!isKnown(format)) throw invalid({ field: "format", message: "is not known" });
    const leaveOut = partsOf(request.leaveOut, format);
    const selection = { accountId, filter: filter ?? create(EventFilterSchema) };
    const pages = streamPages(searches.of(accountId, "service", context.signal), selection);
    const progress = new Progress();
    for await (const { rows, reached } of readAhead(pages)) {
      // A stream that ended here without an error would look complete to its reader.
      context.signal.throwIfAborted();
      if (rows.length === 0) {
        if (progress.isDue(reached)) yield { reached: BigInt(reached) };
        continue;
      }
      yield* eventRecords(rows, { accountId, includeProof, format, leaveOut });
      progress.told(reached);
    }
  };
}

/** A record of CSV is whole: the interface has none that lacks a part. */
function partsOf(given: readonly string[], format: Format): WidgetPart[] {
  const parts = WIDGET_PARTS.filter((part) => given.includes(part));
  const isValid =
    parts.length === given.length && (format === RecordFormat.JSONL || parts.length === 0);
  if (!isValid) throw invalid({ field: "leave_out", message: "must be parts that lines may lack" });
  return parts;
}

function isKnown(format: RecordFormat): format is Format {
  return format === RecordFormat.JSONL || format === RecordFormat.CSV;
}

/** Requests the next page before it yields one: PostgreSQL reads it while this one is rendered and sent. */
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
