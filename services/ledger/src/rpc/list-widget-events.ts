// ListWidgetEvents: one page of what a widget token may see (docs/open-details.md). The filter of the token
// bounds whatever filter is asked.

import { complete, invalid } from "@annals/errors";
import type { Database } from "@annals/postgres";
import { EventFilterSchema, type LedgerService } from "@annals/proto/ledger";
import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { intersectFilters } from "../domain/intersect-filters.ts";
import { readPage } from "./read-page.ts";
import { renderWidgetEvent } from "./render-widget-event.ts";
import { widgetViewOf } from "./widget-view.ts";

const MAX_LIMIT = 100;

interface Deps {
  readonly database: Database;
}

export function listWidgetEvents(
  deps: Deps,
): ServiceImpl<typeof LedgerService>["listWidgetEvents"] {
  return async ({ accountId, filter, ascending, limit }, context) => {
    complete({ account_id: accountId });
    if (limit < 1 || limit > MAX_LIMIT) {
      throw invalid({ field: "limit", message: `must be from 1 to ${MAX_LIMIT}` });
    }
    const view = widgetViewOf(context);
    const both = intersectFilters(view.filter, filter ?? create(EventFilterSchema));
    if (!both) return { events: [], hasMore: false };
    // One more than the limit shows whether there is a next page.
    const page = { accountId, filter: both, ascending, limit: limit + 1 };
    const rows = await readPage(deps.database, page);
    const events = rows.slice(0, limit).map((row) => renderWidgetEvent(row, accountId, view));
    return { events, hasMore: rows.length > limit };
  };
}
