// ReadCheckpoint: the account's signed checkpoint of the newest served epoch, or of a size that a served
// epoch has.

import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { accountCheckpoint } from "../account-checkpoint.ts";
import { coveredHeadOf } from "../covered-head.ts";
import type { LogKeys } from "../log-keys.ts";

interface Deps {
  readonly database: Pool;
  readonly keys: LogKeys;
}

export function readCheckpoint({
  database,
  keys,
}: Deps): ServiceImpl<typeof LedgerService>["readCheckpoint"] {
  return async ({ accountId, size }, { signal }) => {
    complete({ account_id: accountId });
    const own = database.forAccount(accountId, signal);
    const covered = await coveredHeadOf(own, accountId, size);
    return { checkpoint: await accountCheckpoint({ database: own, keys }, accountId, covered) };
  };
}
