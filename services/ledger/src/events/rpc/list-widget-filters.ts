// ListWidgetFilters: the actions and types that a viewer can filter by (docs/interface.md): those of the
// newest events that the widget token may see. It must never read more than a bound, nor name a value of an
// event that the token may not see.

import { byBytes } from "@annals/contract";
import { complete } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { Budget } from "../../search/budget.ts";
import { findNumbers } from "../../search/find-numbers.ts";
import { filterParams, type Search } from "../../search/matches.ts";
import type { SearchTurns } from "../../search/search-turns.ts";
import { listValues, type ValuesRow } from "../store/list-values.ts";
import { widgetViewOf } from "../widget-view.ts";

/** Maximum events whose values are read. */
const MAX_EVENTS = 3_000;
/** Maximum rows that are read to find them. */
const BUDGET_ROWS = 8_000;
/** Maximum values of each kind. */
const MAX_VALUES = 200;

const KINDS = ["action", "actor_type", "target_type"] as const;

interface Deps {
  readonly searches: SearchTurns;
}

export function listWidgetFilters(
  deps: Deps,
): ServiceImpl<typeof LedgerService>["listWidgetFilters"] {
  return async ({ accountId }, context) => {
    complete({ account_id: accountId });
    const { filter } = widgetViewOf(context);
    const database = deps.searches.of(accountId, "widget", context.signal);
    const newest = await newestOf(database, { accountId, filter, ascending: false });
    const rows = await database.run(listValues, [
      accountId,
      newest.numbers,
      ...filterParams(filter),
    ]);
    const values = valuesOf(rows);
    // If there are too many values, the newest are taken.
    const sorted = (kind: (typeof KINDS)[number]) =>
      [...values[kind]].slice(0, MAX_VALUES).toSorted(byBytes);
    return {
      actions: sorted("action"),
      actorTypes: sorted("actor_type"),
      targetTypes: sorted("target_type"),
      isTruncated: newest.isTruncated || KINDS.some((kind) => values[kind].size > MAX_VALUES),
    };
  };
}

/** The numbers of the newest events, and whether there may be more. */
async function newestOf(
  database: Database,
  search: Search,
): Promise<{ readonly numbers: readonly number[]; readonly isTruncated: boolean }> {
  const budget = new Budget(BUDGET_ROWS);
  const numbers: number[] = [];
  for await (const step of findNumbers(database, search, budget)) {
    numbers.push(...step.numbers);
    if (numbers.length > MAX_EVENTS)
      return { numbers: numbers.slice(0, MAX_EVENTS), isTruncated: true };
    if (budget.isSpent && !step.isLast) return { numbers, isTruncated: true };
  }
  return { numbers, isTruncated: false };
}

type Values = Readonly<Record<(typeof KINDS)[number], ReadonlySet<string>>>;

function valuesOf(rows: readonly ValuesRow[]): Values {
  const of = (kind: (typeof KINDS)[number]) =>
    new Set(rows.map((row) => row[kind]).filter((value) => value !== null));
  return { action: of("action"), actor_type: of("actor_type"), target_type: of("target_type") };
}
