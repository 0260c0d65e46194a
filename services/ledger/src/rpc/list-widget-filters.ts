// ListWidgetFilters: the actions and types of what a widget token may see (docs/open-details.md), for a
// reader to choose from: those of its newest events. It must never read more events than a bound, nor name a
// value of an event that the token may not see.

import { complete } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { searchEvents } from "../search/search-events.ts";
import { listValues, type ValuesRow } from "../store/list-values.ts";
import { widgetViewOf } from "./widget-view.ts";

/** Events that are read, and of one page. */
const MAX_EVENTS = 10_000;
const PAGE_SIZE = 1_000;
/** Values of each kind. */
const MAX_VALUES = 200;

const KINDS = ["action", "actor_type", "target_type"] as const;

interface Deps {
  readonly database: Database;
}

export function listWidgetFilters(
  deps: Deps,
): ServiceImpl<typeof LedgerService>["listWidgetFilters"] {
  return async ({ accountId }, context) => {
    complete({ account_id: accountId });
    const { filter } = widgetViewOf(context);
    const search = { accountId, filter, ascending: false, reads: listValues };
    const pages = searchEvents(deps.database, { ...search, limitAfter: () => PAGE_SIZE });
    const found = await collect(pages);
    const sorted = (kind: (typeof KINDS)[number]) => [...found.values[kind]].toSorted(byCodePoints);
    return {
      actions: sorted("action"),
      actorTypes: sorted("actor_type"),
      targetTypes: sorted("target_type"),
      isTruncated: found.isTruncated,
    };
  };
}

type Values = Readonly<Record<(typeof KINDS)[number], Set<string>>>;

/** The values of the first events, and whether there was anything more. */
async function collect(
  pages: AsyncIterable<readonly ValuesRow[]>,
): Promise<{ values: Values; isTruncated: boolean }> {
  const values: Values = { action: new Set(), actor_type: new Set(), target_type: new Set() };
  let read = 0;
  let isTruncated = false;
  for await (const rows of pages) {
    for (const row of rows) {
      if (read === MAX_EVENTS) return { values, isTruncated: true };
      read += 1;
      isTruncated = addValues(values, row) || isTruncated;
    }
  }
  return { values, isTruncated };
}

/** Whether a value had no room. */
function addValues(values: Values, row: ValuesRow): boolean {
  let isLeftOut = false;
  for (const kind of KINDS) {
    const value = row[kind];
    const known = values[kind];
    if (value === null || known.has(value)) continue;
    if (known.size < MAX_VALUES) known.add(value);
    else isLeftOut = true;
  }
  return isLeftOut;
}

/** As PostgreSQL sorts texts of the collation C. */
const byCodePoints = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));
