// CreateEvents: appends groups of events, each to the chain of its account (interface 6), and responds when
// all of them are stored or refused. The RPC itself fails only if the request is malformed.

import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { appendOutcome, checkAppends, type Deps } from "../append-outcome.ts";

export function createEvents(deps: Deps): ServiceImpl<typeof LedgerService>["createEvents"] {
  return async (request) => {
    checkAppends(request);
    const outcomes = request.appends.map((append) => appendOutcome(deps, request, append));
    return { outcomes: await Promise.all(outcomes) };
  };
}
