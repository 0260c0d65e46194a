// What a count should say, from the rows of the events alone: GROUP BY, written plainly. Imported by tests
// only.

import type { TestDatabase } from "@annals/testing";
import type { EventFilter, FieldValues } from "../search/rules/event-filter.ts";
import { FIELDS, SELECTS } from "./declared-values.ts";

export interface CountedRow {
  readonly number: number;
  readonly minute: number;
  readonly occurred_at: string;
  readonly received_at: string;
  readonly action: string;
  readonly actor_id: string | null;
  readonly target_type: string | null;
  readonly context: Readonly<Record<string, unknown>>;
  /** Values of each declared field, and of the outcome, as the index has them. */
  readonly values: Readonly<Record<string, readonly string[]>>;
}

const VALUES = FIELDS.map(
  ({ ignoreCase, name, type }) =>
    `'${name}', ledger.values_of(context, '{${name}}', '${type}', ${ignoreCase})`,
).join(", ");

const OUTCOME = "ledger.values_of(metadata, '{outcome}', 'string', false)";

/** The kept events of the database, ascending. */
export async function countedRows(database: TestDatabase): Promise<CountedRow[]> {
  const rows = await database.query<Omit<CountedRow, "context"> & { readonly context: string }>(
    `SELECT sequence_number::int AS number, (extract(epoch FROM occurred_at::timestamptz) / 60 - 0.5)::int AS minute,
       occurred_at, received_at, action, actor_id, target_type, context,
       CASE WHEN context = '{}' THEN json_build_object('outcome', ${OUTCOME})
         ELSE json_build_object(${VALUES}, 'outcome', ${OUTCOME}) END AS values
     FROM ledger.events WHERE erased & 32 = 0 ORDER BY 1`,
  );
  return rows.map((row) => ({ ...row, context: JSON.parse(row.context) }));
}

/** The values of an event, by the name of a parameter. */
export function valuesIn(row: CountedRow, name: string): readonly string[] {
  if (name === "action" || name === "actor_id" || name === "target_type")
    return row[name] === null ? [] : [row[name]];
  return row.values[name.replace("field.", "")] ?? [];
}

const isSelected = (row: CountedRow, { name, values }: FieldValues): boolean =>
  name === "outcome"
    ? (row.values["outcome"] ?? []).some((own) => values.includes(own))
    : [row.context[name] ?? []]
        .flat()
        .some((own) => values.some((value) => SELECTS[name]?.[value]?.(own) === true));

export function matching(rows: readonly CountedRow[], filter: EventFilter): CountedRow[] {
  const { actions = [], actorIds = [], fields = [], not = {}, texts = [] } = filter;
  const { afterSequence = 0n, beforeSequence = BigInt(Number.MAX_SAFE_INTEGER) } = filter;
  const { occurredFrom = "", occurredTo = "~", receivedFrom = "", receivedTo = "~" } = filter;
  const isBeyond = (row: CountedRow) => row.number >= beforeSequence;
  const from = rows.findIndex((row) => row.number > afterSequence);
  const to = rows.findIndex(isBeyond);
  return rows
    .slice(from < 0 ? rows.length : from, to < 0 ? rows.length : to)
    .filter(
      (row) =>
        row.occurred_at >= occurredFrom &&
        row.occurred_at < occurredTo &&
        row.received_at >= receivedFrom &&
        row.received_at < receivedTo &&
        (actions.length === 0 || actions.includes(row.action)) &&
        (actorIds.length === 0 || actorIds.includes(row.actor_id ?? "")) &&
        fields.every((field) => isSelected(row, field)) &&
        !(not.actorIds ?? []).includes(row.actor_id ?? "") &&
        !(not.actions ?? []).includes(row.action) &&
        !(not.fields ?? []).some((field) => isSelected(row, field)) &&
        texts.every((text) => row.action.includes(text)),
    );
}
