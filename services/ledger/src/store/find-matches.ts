// Which events of an account match a filter, in a range of sequence numbers or of some numbers: those numbers
// alone, from the columns that filters compare. A null parameter does not filter. Each statement reads no
// more rows than its range or its array has, whatever plan PostgreSQL makes: it joins nothing.

import { statement } from "@annals/postgres";

/** What a filter compares. The ends of a range of actions and of the time are inclusive and exclusive. */
export type FilterParams = [
  action: string | null,
  actionFrom: string | null,
  actionTo: string | null,
  occurredFrom: string | null,
  occurredTo: string | null,
  actorId: string | null,
  actorType: string | null,
  targetId: string | null,
  targetType: string | null,
];

/** How far each is from the first of the range, in any order; null for none. */
interface InRangeRow {
  readonly places: readonly number[] | null;
}

const COMPARISONS = [
  "action =",
  "action >=",
  "action <",
  "occurred_at >=",
  "occurred_at <",
  "actor_id =",
  "actor_type =",
  "target_id =",
  "target_type =",
];

/** Conditions on an event whose nine parameters begin with `$first`. */
export const filterConditions = (first: number): string =>
  COMPARISONS.map((comparison, index) => [comparison, `$${first + index}::text`])
    .map(([comparison, parameter]) => `(${parameter} IS NULL OR ${comparison} ${parameter})`)
    .join("\n    AND ");

export const findInRange = statement<
  [accountId: string, /** Both included. */ from: number, to: number, ...FilterParams],
  InRangeRow
>(`/* ledger.find-in-range */
SELECT array_to_json(array_agg(sequence_number - $2::bigint)) AS places FROM ledger.events
WHERE account_id = $1::text AND sequence_number BETWEEN $2::bigint AND $3::bigint
    AND ${filterConditions(4)}
`);

export const findOfNumbers = statement<
  [accountId: string, numbers: readonly number[], ...FilterParams],
  InRangeRow
>(`/* ledger.find-of-numbers */
SELECT array_to_json(array_agg(number)) AS places
FROM unnest($2::bigint[]) AS asked (number)
CROSS JOIN LATERAL (
  SELECT 1 FROM ledger.events
  WHERE account_id = $1::text AND sequence_number = asked.number
    AND ${filterConditions(3)}
  LIMIT 1
) AS found
`);
