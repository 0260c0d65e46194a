// CountWidgetValues: CountValues within what a widget token may see, of what it shows.

import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { widgetViewOf } from "../../events/widget-view.ts";
import type { SearchTurns } from "../../search/search-turns.ts";
import { answerFacets } from "../answer-counts.ts";
import type { CountBounds } from "../count-events.ts";
import { WIDGET_BOUNDS } from "../bounds.ts";
import { allowedIn } from "../widget-counts.ts";

interface Deps {
  readonly searches: SearchTurns;
  /** Bounds of each count; by default {@link WIDGET_BOUNDS}. Tests need smaller ones. */
  readonly countBounds?: CountBounds | undefined;
}

export function countWidgetValues(
  deps: Deps,
): ServiceImpl<typeof LedgerService>["countWidgetValues"] {
  const bounds = deps.countBounds ?? WIDGET_BOUNDS;
  return async ({ accountId, facets }, context) => {
    const database = deps.searches.of(accountId, "widget", context.signal);
    const asker = { database, accountId, bounds, allow: allowedIn(widgetViewOf(context)) };
    return { facets: await answerFacets(asker, facets) };
  };
}
