// GetWidgetEvent: one event by its id, if the widget token may see it (docs/interface.md). Any other
// event is not found, as if it did not exist.

import { complete, notFound } from "@annals/errors";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { sequenceOfId } from "../rules/event-id.ts";
import { intersectFilters } from "../rules/intersect-filters.ts";
import { matchesInParts } from "../../search/compared.ts";
import { readNumbers } from "../../search/read-events.ts";
import type { SearchTurns } from "../../search/search-turns.ts";
import { listEvents } from "../../store/list-events.ts";
import { renderWidgetEvent } from "./render-widget-event.ts";
import { widgetViewOf } from "../widget-view.ts";

interface Deps {
  readonly searches: SearchTurns;
}

export function getWidgetEvent(deps: Deps): ServiceImpl<typeof LedgerService>["getWidgetEvent"] {
  return async ({ accountId, id }, context) => {
    complete({ account_id: accountId, id });
    const view = widgetViewOf(context);
    const sequence = sequenceOfId(id);
    if (sequence === undefined) throw notFound("event", id);
    // The filter is applied as in a list, so that both show the same events.
    const only = {
      afterSequence: BigInt(sequence - 1),
      beforeSequence: BigInt(sequence + 1),
    };
    const filter = intersectFilters(view.filter, only);
    const isInRange =
      filter?.afterSequence === only.afterSequence && filter.beforeSequence === only.beforeSequence;
    if (!filter || !isInRange) throw notFound("event", id);
    const asked = { numbers: [sequence], bytes: 1 };
    const database = deps.searches.of(accountId, "widget", context.signal);
    const isMatch = await matchesInParts(database, { accountId, filter }, sequence);
    if (!isMatch) throw notFound("event", id);
    const [row] = (await readNumbers(database, { accountId, filter }, listEvents, asked)).rows;
    if (row?.id !== id) throw notFound("event", id);
    return { event: renderWidgetEvent(row, accountId, view) };
  };
}
