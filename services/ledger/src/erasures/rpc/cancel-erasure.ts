// CancelErasure: withdraws a request to erase whose delay is not over. Called again it changes nothing.

import type { Clock } from "@annals/contract";
import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { cancelErasure as cancel } from "../cancel-erasure.ts";

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly random: (size: number) => Uint8Array;
}

export function cancelErasure(deps: Deps): ServiceImpl<typeof LedgerService>["cancelErasure"] {
  return async ({ accountId, id }, context) => {
    complete({ account_id: accountId, id });
    const database = deps.database.forAccount(accountId, context.signal);
    await cancel({ ...deps, database }, { accountId, actor: actorOf(context), id });
    return {};
  };
}
