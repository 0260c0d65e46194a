// Bounds how many declared fields the webhooks of an account read: the fan-out reads the values of each for
// every event. Called by the handlers that set a filter, in their transaction. Two requests at the same
// time may pass the bound together, which costs the account and fails nothing.

import { MAX_WEBHOOK_FIELDS } from "@annals/contract";
import { invalid } from "@annals/errors";
import type { Database } from "@annals/postgres";
import { filterOf } from "./rules/filter-history.ts";
import { isDeclared, keyOf, placesOf, type WebhookFilter } from "./rules/webhook-filter.ts";
import { listFilters } from "./store/webhook-filters.ts";

const PAGE = 100;

/** Throws `invalid` if the account's webhooks would name too many different fields with this filter. */
export async function limitFields(
  database: Database,
  accountId: string,
  webhookId: string,
  filter: WebhookFilter | null,
): Promise<void> {
  const fields = new Set(declaredIn([filter]));
  if (fields.size === 0) return;
  let last = "";
  for (let isWhole = true; isWhole;) {
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before has ended
    const rows = await database.run(listFilters, [accountId, last, PAGE]);
    const others = rows.filter(({ id }) => id !== webhookId).map(filterOf);
    for (const key of declaredIn(others)) fields.add(key);
    last = rows.at(-1)?.id ?? last;
    isWhole = rows.length === PAGE;
  }
  if (fields.size <= MAX_WEBHOOK_FIELDS) return;
  const message = `names more than ${MAX_WEBHOOK_FIELDS} different fields with the other webhooks`;
  throw invalid({ field: "filter.fields", message });
}

function declaredIn(filters: readonly (WebhookFilter | null)[]): string[] {
  return placesOf(filters.filter((filter) => filter !== null))
    .filter(isDeclared)
    .map(keyOf);
}
