// ListWidgetEvents: one page of what a widget token may see (docs/interface.md). The filter of the token
// bounds the filter of every request. A page costs less than one of ListEvents, because anyone may hold a
// token.

import { complete, invalid } from "@annals/errors";
import { EventFilterSchema, type LedgerService } from "@annals/proto/ledger";
import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { intersectFilters } from "../rules/intersect-filters.ts";
import { requireVisible } from "../rules/visible-filter.ts";
import { type PageBounds, readPage } from "../../search/read-page.ts";
import { resolveFields } from "../../search/resolve-fields.ts";
import type { SearchTurns } from "../../search/search-turns.ts";
import { renderWidgetEvent } from "./render-widget-event.ts";
import { widgetViewOf } from "../widget-view.ts";

const MAX_LIMIT = 100;

const BOUNDS: PageBounds = { rows: 8_000, textBytes: 1024 * 1024, bytes: 768 * 1024 };

interface Deps {
  readonly searches: SearchTurns;
  /** Bounds of each page; by default {@link BOUNDS}. Tests need smaller ones. */
  readonly pageBounds?: PageBounds | undefined;
}

export function listWidgetEvents(
  deps: Deps,
): ServiceImpl<typeof LedgerService>["listWidgetEvents"] {
  const bounds = deps.pageBounds ?? BOUNDS;
  return async ({ accountId, filter, ascending, limit }, context) => {
    complete({ account_id: accountId });
    if (limit < 1 || limit > MAX_LIMIT) {
      throw invalid({ field: "limit", message: `must be from 1 to ${MAX_LIMIT}` });
    }
    const view = widgetViewOf(context);
    const database = deps.searches.of(accountId, "widget", context.signal);
    const given = filter ?? create(EventFilterSchema);
    const own = await resolveFields(database, accountId, given);
    requireVisible(own, view.parts);
    const both = intersectFilters(view.filter, own);
    if (!both) return { events: [] };
    // A text in what is hidden would tell it.
    const shown = { ...both, textParts: view.parts };
    const search = { accountId, filter: shown, ascending, limit, bounds };
    const page = await readPage(database, search);
    const events = page.rows.map((row) => renderWidgetEvent(row, accountId, view));
    return { events, nextAfter: page.next };
  };
}
