// CountWidgetEvents: CountEvents within what a widget token may see, by what it shows.

import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { answerHistogram } from "../answer-counts.ts";
import { widgetAsker, type CountDeps } from "../askers.ts";

export function countWidgetEvents(
  deps: CountDeps,
): ServiceImpl<typeof LedgerService>["countWidgetEvents"] {
  return async ({ accountId, histogram }, context) => ({
    histogram: await answerHistogram(widgetAsker(deps, accountId, context), histogram),
  });
}
