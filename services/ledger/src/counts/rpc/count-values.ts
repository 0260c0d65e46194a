// CountValues: the values of fields, with the events of each (docs/interface.md).

import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { answerFacets } from "../answer-counts.ts";
import { clientAsker, type CountDeps } from "../askers.ts";

export function countValues(deps: CountDeps): ServiceImpl<typeof LedgerService>["countValues"] {
  return async ({ accountId, facets }, context) => ({
    facets: await answerFacets(clientAsker(deps, accountId, context), facets),
  });
}
