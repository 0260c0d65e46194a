// DeleteSearchField: a field that filters may no longer name. The index forgets it in the background.

import type { Clock } from "@annals/contract";
import { complete, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { AUDIT } from "../../store/audit.ts";
import { fieldOf } from "../rules/search-field.ts";
import { deleteSearchField as deleteField } from "../store/search-fields.ts";

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
}

export function deleteSearchField({
  clock,
  database,
}: Deps): ServiceImpl<typeof LedgerService>["deleteSearchField"] {
  return async ({ accountId, id }, context) => {
    complete({ account_id: accountId, id });
    const field = fieldOf(id);
    if (field === undefined) throw notFound("search field", id);
    const occurredAt = clock.nowText();
    await database.forAccount(accountId).transaction(async (transaction) => {
      const [deleted] = await transaction.run(deleteField, [accountId, field, occurredAt]);
      if (!deleted) throw notFound("search field", id);
      await AUDIT.add(transaction, {
        accountId,
        action: "annals.search_field.deleted",
        actor: actorOf(context),
        target: { type: "search_field", id },
        occurredAt,
      });
    });
    return {};
  };
}
