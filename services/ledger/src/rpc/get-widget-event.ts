// GetWidgetEvent: one event by its id, if the widget token may see it (docs/open-details.md). Any other is
// not found, as one that does not exist.

import { complete, notFound } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { sequenceOfId } from "../domain/event-id.ts";
import { intersectFilters } from "../domain/intersect-filters.ts";
import { readPage } from "./read-page.ts";
import { renderWidgetEvent } from "./render-widget-event.ts";
import { widgetViewOf } from "./widget-view.ts";

interface Deps {
  readonly database: Database;
}

export function getWidgetEvent(deps: Deps): ServiceImpl<typeof LedgerService>["getWidgetEvent"] {
  return async ({ accountId, id }, context) => {
    complete({ account_id: accountId, id });
    const view = widgetViewOf(context);
    const sequence = sequenceOfId(id);
    if (sequence === undefined) throw notFound("event", id);
    const only = {
      actionIsPrefix: false,
      afterSequence: BigInt(sequence - 1),
      beforeSequence: BigInt(sequence + 1),
    };
    // The filter of a list, so that both show the same events.
    const filter = intersectFilters(view.filter, only);
    const [row] = filter
      ? await readPage(deps.database, { accountId, filter, ascending: true, limit: 1 })
      : [];
    if (row?.id !== id) throw notFound("event", id);
    return { event: renderWidgetEvent(row, accountId, view) };
  };
}
