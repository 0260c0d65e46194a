// CountValues: the values of fields, with the events of each (docs/interface.md).

import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import type { SearchTurns } from "../../search/search-turns.ts";
import { answerFacets } from "../answer-counts.ts";
import type { CountBounds } from "../count-events.ts";
import type { EventFilter } from "../../search/rules/event-filter.ts";
import { CLIENT_BOUNDS } from "../bounds.ts";

interface Deps {
  readonly searches: SearchTurns;
  /** Bounds of each count; by default {@link CLIENT_BOUNDS}. Tests need smaller ones. */
  readonly countBounds?: CountBounds | undefined;
}

export function countValues(deps: Deps): ServiceImpl<typeof LedgerService>["countValues"] {
  const bounds = deps.countBounds ?? CLIENT_BOUNDS;
  return async ({ accountId, facets }, context) => {
    const database = deps.searches.of(accountId, "client", context.signal);
    const asker = { database, accountId, bounds, allow: (own: EventFilter) => own };
    return { facets: await answerFacets(asker, facets) };
  };
}
