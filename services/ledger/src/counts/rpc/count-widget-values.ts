// CountWidgetValues: CountValues within what a widget token may see, of what it shows.

import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { answerFacets } from "../answer-counts.ts";
import { widgetAsker, type CountDeps } from "../askers.ts";

export function countWidgetValues(
  deps: CountDeps,
): ServiceImpl<typeof LedgerService>["countWidgetValues"] {
  return async ({ accountId, facets }, context) => ({
    facets: await answerFacets(widgetAsker(deps, accountId, context), facets),
  });
}
