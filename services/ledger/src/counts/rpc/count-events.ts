// CountEvents: events by bars of time, and by the values of a field (docs/interface.md).

import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { answerHistogram } from "../answer-counts.ts";
import { clientAsker, type CountDeps } from "../askers.ts";

export function countEvents(deps: CountDeps): ServiceImpl<typeof LedgerService>["countEvents"] {
  return async ({ accountId, histogram }, context) => ({
    histogram: await answerHistogram(clientAsker(deps, accountId, context), histogram),
  });
}
