// UpdateSavedSearch: changes the name, the filter or the view of a search that the account keeps.

import { type Clock, isIdOf } from "@annals/contract";
import { complete, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { AUDIT } from "../../store/audit.ts";
import { requireSmall } from "../rules/saved-search.ts";
import { lockSavedSearch, updateSavedSearch as updateSearch } from "../store/saved-searches.ts";
import { fieldsOf } from "./create-saved-search.ts";
import { renderSavedSearch } from "./render-saved-search.ts";

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
}

export function updateSavedSearch({
  clock,
  database,
}: Deps): ServiceImpl<typeof LedgerService>["updateSavedSearch"] {
  return async (request, context) => {
    const { accountId, id } = request;
    complete({ account_id: accountId, id });
    if (!isIdOf("srch", id)) throw notFound("saved search", id);
    const search = await database.forAccount(accountId).transaction(async (transaction) => {
      const [before] = await transaction.run(lockSavedSearch, [accountId, id]);
      if (!before) throw notFound("saved search", id);
      const { filterJson, name = before.name, viewJson: view = before.view } = request;
      const isSet = filterJson !== undefined;
      const after = {
        ...before,
        name,
        view,
        ...(isSet && { filter: filterJson, fields: await fieldsOf(transaction, request) }),
        // Another filter says what it selects.
        has_erased: before.has_erased && !isSet,
        updated_at: clock.nowText(),
      };
      requireSmall(after);
      const texts = [after.name, after.filter, after.view, after.fields] as const;
      const state = [after.has_erased, after.updated_at] as const;
      await transaction.run(updateSearch, [accountId, id, ...texts, ...state]);
      await AUDIT.add(transaction, {
        accountId,
        action: "annals.saved_search.updated",
        actor: actorOf(context),
        target: { type: "saved_search", id },
        occurredAt: after.updated_at,
      });
      return after;
    });
    return { search: renderSavedSearch(search) };
  };
}
