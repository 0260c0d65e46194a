// Takes an erased value out of the searches that its account keeps. Called by erasures/worker/erasures.ts
// before an erasure is done. A search that is saved or changed afterwards keeps what it names.

import type { Clock, ErasedValues } from "@annals/contract";
import type { Database, Pool } from "@annals/postgres";
import { AUDIT } from "../store/audit.ts";
import { withoutValues } from "./rules/saved-search.ts";
import { listSavedSearches, lockSavedSearch, updateSavedSearch } from "./store/saved-searches.ts";

export interface ForgetDeps {
  readonly clock: Pick<Clock, "nowText">;
  readonly database: Pick<Pool, "forAccount">;
}

const SERVICE = { type: "service", id: "ledger" } as const;

interface Erasure extends ErasedValues {
  readonly accountId: string;
  readonly id: string;
}

/** Resolves when no saved search has the values. Each is changed, and that recorded, in a transaction. */
export async function forgetValues(
  { clock, database }: ForgetDeps,
  erasure: Erasure,
): Promise<void> {
  const { accountId } = erasure;
  const own = database.forAccount(accountId);
  for (const { id, ...search } of await own.run(listSavedSearches, [accountId]))
    if (withoutValues(search, erasure))
      await own.transaction((transaction) => forget(transaction, clock.nowText(), id, erasure));
}

async function forget(
  transaction: Database,
  occurredAt: string,
  searchId: string,
  erasure: Erasure,
): Promise<void> {
  const { accountId, id } = erasure;
  const [locked] = await transaction.run(lockSavedSearch, [accountId, searchId]);
  const left = locked && withoutValues(locked, erasure);
  if (!left) return;
  const texts = [left.name, left.filter, left.view, left.fields] as const;
  await transaction.run(updateSavedSearch, [accountId, searchId, ...texts, true, occurredAt]);
  await AUDIT.add(transaction, {
    accountId,
    action: "annals.saved_search.updated",
    actor: SERVICE,
    target: { type: "saved_search", id: searchId },
    metadata: { erasure_id: id },
    occurredAt,
  });
}
