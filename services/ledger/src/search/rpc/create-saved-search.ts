// CreateSavedSearch: saves a search that everyone who can read the events can use. What is kept with an
// idempotency key has no value of the search: the retry sends it again, and an erasure finds nothing there.

import { type Clock, newId } from "@annals/contract";
import { complete } from "@annals/errors";
import { type Database, earlierResponse, keepResponse, type Pool } from "@annals/postgres";
import {
  type CreateSavedSearchRequest,
  EventFilterSchema,
  type LedgerService,
} from "@annals/proto/ledger";
import { create } from "@bufbuild/protobuf";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { AUDIT } from "../../store/audit.ts";
import { REQUESTS } from "../../store/requests.ts";
import { resolveFields } from "../resolve-fields.ts";
import { namedFields, requireFewSearches, requireSmall } from "../rules/saved-search.ts";
import {
  countSavedSearches,
  createSavedSearch as createSearch,
  lockSearches,
  type SavedSearchRow,
} from "../store/saved-searches.ts";
import { renderSavedSearch } from "./render-saved-search.ts";

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly idempotencyHours: number;
  readonly random: (size: number) => Uint8Array;
}

/** What the request does not say of a search. */
type Kept = Pick<SavedSearchRow, "created_at" | "fields" | "id">;

export function createSavedSearch({
  clock,
  database,
  idempotencyHours,
  random,
}: Deps): ServiceImpl<typeof LedgerService>["createSavedSearch"] {
  const kept = { idempotencyHours, operation: "create-saved-search", requests: REQUESTS };
  return async (request, context) => {
    const { accountId, filterJson: filter, name, viewJson: view } = request;
    complete({ account_id: accountId, name, filter_json: filter, view_json: view });
    const searchOf = ({ created_at: createdAt, fields, id }: Kept): SavedSearchRow => {
      const times = { created_at: createdAt, updated_at: createdAt };
      return { id, name, filter, view, fields, has_erased: false, ...times };
    };
    return database.forAccount(accountId).transaction(async (transaction) => {
      await transaction.run(lockSearches, [accountId]);
      const earlier = await earlierResponse(transaction, kept, request);
      if (earlier) {
        const first: Kept = JSON.parse(Buffer.from(earlier).toString());
        return { search: renderSavedSearch(searchOf(first)), replayed: true };
      }
      const fields = await fieldsOf(transaction, request);
      const made = { id: newId("srch", random), fields, created_at: clock.nowText() };
      const search = searchOf(made);
      requireSmall(search);
      const [count] = await transaction.run(countSavedSearches, [accountId]);
      requireFewSearches(count?.saved ?? 0);
      const texts = [name, filter, view, fields] as const;
      await transaction.run(createSearch, [accountId, made.id, ...texts, made.created_at]);
      await keepResponse(transaction, kept, request, Buffer.from(JSON.stringify(made)));
      await AUDIT.add(transaction, {
        accountId,
        action: "annals.saved_search.created",
        actor: actorOf(context),
        target: { type: "saved_search", id: made.id },
        occurredAt: made.created_at,
      });
      return { search: renderSavedSearch(search), replayed: false };
    });
  };
}

/** Throws `invalid` for a field that is not declared, and for a value that its type does not have. */
export async function fieldsOf(
  transaction: Database,
  {
    accountId,
    filter = create(EventFilterSchema),
  }: Pick<CreateSavedSearchRequest, "accountId" | "filter">,
): Promise<string> {
  return namedFields(filter, await resolveFields(transaction, accountId, filter));
}
