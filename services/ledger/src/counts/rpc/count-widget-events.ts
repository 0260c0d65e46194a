// CountWidgetEvents: CountEvents within what a widget token may see, by what it shows.

import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { widgetViewOf } from "../../events/widget-view.ts";
import type { SearchTurns } from "../../search/search-turns.ts";
import { answerHistogram } from "../answer-counts.ts";
import type { CountBounds } from "../count-events.ts";
import { WIDGET_BOUNDS } from "../bounds.ts";
import { allowedIn } from "../widget-counts.ts";

interface Deps {
  readonly searches: SearchTurns;
  /** Bounds of each count; by default {@link WIDGET_BOUNDS}. Tests need smaller ones. */
  readonly countBounds?: CountBounds | undefined;
}

export function countWidgetEvents(
  deps: Deps,
): ServiceImpl<typeof LedgerService>["countWidgetEvents"] {
  const bounds = deps.countBounds ?? WIDGET_BOUNDS;
  return async ({ accountId, histogram }, context) => {
    const database = deps.searches.of(accountId, "widget", context.signal);
    const asker = { database, accountId, bounds, allow: allowedIn(widgetViewOf(context)) };
    return { histogram: await answerHistogram(asker, histogram) };
  };
}
