// CountEvents: events by bars of time, and by the values of a field (docs/interface.md).

import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import type { SearchTurns } from "../../search/search-turns.ts";
import { answerHistogram } from "../answer-counts.ts";
import type { CountBounds } from "../count-events.ts";
import type { EventFilter } from "../../search/rules/event-filter.ts";
import { CLIENT_BOUNDS } from "../bounds.ts";

interface Deps {
  readonly searches: SearchTurns;
  /** Bounds of each count; by default {@link CLIENT_BOUNDS}. Tests need smaller ones. */
  readonly countBounds?: CountBounds | undefined;
}

export function countEvents(deps: Deps): ServiceImpl<typeof LedgerService>["countEvents"] {
  const bounds = deps.countBounds ?? CLIENT_BOUNDS;
  return async ({ accountId, histogram }, context) => {
    const database = deps.searches.of(accountId, "client", context.signal);
    const asker = { database, accountId, bounds, allow: (own: EventFilter) => own };
    return { histogram: await answerHistogram(asker, histogram) };
  };
}
