// CreateErasure: asks for the erasure of parts of the events that are stored now (docs/lifecycle.md).

import type { Clock } from "@annals/contract";
import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { MAX_ERASURES_PER_DAY } from "../rules/erasure.ts";
import { requestErasure } from "../request-erasure.ts";
import type { SearchTurns } from "../../search/search-turns.ts";
import { recordActorOf } from "../../audit/record-actor-of.ts";
import { renderErasure } from "./render-erasure.ts";

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly erasureDelayHours: number;
  readonly random: (size: number) => Uint8Array;
  readonly searches: SearchTurns;
}

export function createErasure(deps: Deps): ServiceImpl<typeof LedgerService>["createErasure"] {
  return async ({ accountId, ...asked }, context) => {
    complete({ account_id: accountId });
    const actor = recordActorOf(context);
    const own = {
      ...deps,
      maxPerDay: MAX_ERASURES_PER_DAY,
      database: deps.database.forAccount(accountId, context.signal),
      searches: deps.searches.of(accountId, "client", context.signal),
    };
    return { erasure: renderErasure(await requestErasure(own, { accountId, actor, asked })) };
  };
}
