// DeleteSavedSearch: deletes a search that the account keeps.

import { type Clock, isIdOf } from "@annals/contract";
import { complete, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { AUDIT } from "../../store/audit.ts";
import { deleteSavedSearch as deleteSearch } from "../store/saved-searches.ts";

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
}

export function deleteSavedSearch({
  clock,
  database,
}: Deps): ServiceImpl<typeof LedgerService>["deleteSavedSearch"] {
  return async ({ accountId, id }, context) => {
    complete({ account_id: accountId, id });
    if (!isIdOf("srch", id)) throw notFound("saved search", id);
    const occurredAt = clock.nowText();
    await database.forAccount(accountId).transaction(async (transaction) => {
      const [deleted] = await transaction.run(deleteSearch, [accountId, id]);
      if (!deleted) throw notFound("saved search", id);
      await AUDIT.add(transaction, {
        accountId,
        action: "annals.saved_search.deleted",
        actor: actorOf(context),
        target: { type: "saved_search", id },
        occurredAt,
      });
    });
    return {};
  };
}
