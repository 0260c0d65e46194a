// ConfirmArchive: the export service says that it has archived the next events of an account durably. Only
// then may retention delete them. It must never move back, nor past what a served epoch covers: the
// statement compares both.

import { complete, invalid } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { confirmArchived } from "../store/archives.ts";
import { getServedEpoch } from "../../store/get-served-epoch.ts";
import { getLifecycle } from "../../store/lifecycles.ts";

interface Deps {
  readonly database: Pool;
}

export function confirmArchive(deps: Deps): ServiceImpl<typeof LedgerService>["confirmArchive"] {
  return async ({ accountId, archivedThrough, toSequence }, { signal }) => {
    complete({ account_id: accountId });
    const database = deps.database.forAccount(accountId, signal);
    const [served] = await database.run(getServedEpoch, []);
    const range = [accountId, String(archivedThrough), String(toSequence)] as const;
    const moved = served
      ? await database.run(confirmArchived, [...range, served.log, served.epoch])
      : [];
    if (moved.length > 0) return {};
    const [row] = await database.run(getLifecycle, [accountId]);
    if (archivedThrough < toSequence && toSequence <= BigInt(row?.archived_through ?? 0)) return {};
    const message =
      "must follow archived_through as it is now, and be covered by a served epoch, of an account with archives";
    throw invalid({ field: "to_sequence", message });
  };
}
