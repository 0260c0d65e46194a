// Finds the events of an account that match a filter, in a range of sequence numbers or among some numbers.
// It returns only their numbers, and reads only the columns that filters compare. A null parameter does not
// filter. Each statement reads no more rows than its range or its array has, whatever plan PostgreSQL makes:
// it joins nothing.

import { statement } from "@annals/postgres";

/** What a filter compares. A range of times includes its first end, and not its second. */
export type FilterParams = [
  /** Both are null, or neither: an action is one of the first, or begins with one of the second. */
  actions: readonly string[] | null,
  actionPrefixes: readonly string[] | null,
  occurredFrom: string | null,
  occurredTo: string | null,
  receivedFrom: string | null,
  receivedTo: string | null,
  actorIds: readonly string[] | null,
  actorTypes: readonly string[] | null,
  targetIds: readonly string[] | null,
  targetTypes: readonly string[] | null,
  /** What no event may have. The first two are both null, or neither. */
  notActions: readonly string[] | null,
  notActionPrefixes: readonly string[] | null,
  notActorIds: readonly string[] | null,
  notActorTypes: readonly string[] | null,
  notTargetIds: readonly string[] | null,
  notTargetTypes: readonly string[] | null,
];

/** Distance of each match from the first number of the range, in any order; null if nothing matches. */
interface InRangeRow {
  readonly places: readonly number[] | null;
}

const TIMES = ["occurred_at >=", "occurred_at <", "received_at >=", "received_at <"];
const COLUMNS = ["actor_id", "actor_type", "target_id", "target_type"];

/**
 * Leaves out an event that retention has deleted: only its leaf is left. PostgreSQL has no statistics of the
 * expression. It takes `<>` for true of nearly every row, and `= 0` for true of one in 200: then a page of a
 * long account would seem to need most of its events, and PostgreSQL would read and sort them all.
 */
export const IS_KEPT = "erased & 32 <> 32";

/** Conditions on an event, whose {@link FilterParams} begin with `$first`. */
export const filterConditions = (first: number): string =>
  `${IS_KEPT}\n    AND ${comparisons(first)}`;

function comparisons(first: number): string {
  const [actions, prefixes] = [`$${first}::text[]`, `$${first + 1}::text[]`];
  const times = TIMES.map((comparison, at) => [comparison, `$${first + 2 + at}::text`]);
  const afterTimes = first + 2 + TIMES.length;
  const values = COLUMNS.map((column, at) => [column, `$${afterTimes + at}::text[]`]);
  const excluded = afterTimes + COLUMNS.length;
  const [notActions, notPrefixes] = [`$${excluded}::text[]`, `$${excluded + 1}::text[]`];
  const notValues = COLUMNS.map((column, at) => [column, `$${excluded + 2 + at}::text[]`]);
  return [
    `(${actions} IS NULL OR action = ANY (${actions}) OR action ^@ ANY (${prefixes}))`,
    ...times.map(([comparison, time]) => `(${time} IS NULL OR ${comparison} ${time})`),
    ...values.map(([column, any]) => `(${any} IS NULL OR ${column} = ANY (${any}))`),
    `(${notActions} IS NULL OR NOT (action = ANY (${notActions}) OR action ^@ ANY (${notPrefixes})))`,
    ...notValues.map(
      ([column, any]) => `(${any} IS NULL OR (${column} = ANY (${any})) IS NOT TRUE)`,
    ),
  ].join("\n    AND ");
}

export const findInRange = statement<
  [accountId: string, /** Both ends are included. */ from: number, to: number, ...FilterParams],
  InRangeRow
>(
  `/* ledger.find-in-range */
SELECT array_to_json(array_agg(sequence_number - $2::bigint)) AS places FROM ledger.events
WHERE account_id = $1::text AND sequence_number BETWEEN $2::bigint AND $3::bigint
    AND ${filterConditions(4)}
`,
  { route: "one account" },
);

export const findOfNumbers = statement<
  [accountId: string, numbers: readonly number[], ...FilterParams],
  InRangeRow
>(
  `/* ledger.find-of-numbers */
SELECT array_to_json(array_agg(number)) AS places
FROM unnest($2::bigint[]) AS asked (number)
CROSS JOIN LATERAL (
  SELECT 1 FROM ledger.events
  WHERE account_id = $1::text AND sequence_number = asked.number
    AND ${filterConditions(3)}
  LIMIT 1
) AS found
`,
  { route: "one account" },
);
