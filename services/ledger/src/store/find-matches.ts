// Which events of an account match a filter, in a range of sequence numbers or of some numbers: those
// numbers alone, from the columns of both tables that filters compare. A null parameter does not filter.
// Each statement reads no more rows of a table than its range or its array has, whatever plan PostgreSQL
// makes: it joins nothing.

import { statement } from "@annals/postgres";

type InRange = [accountId: string, /** Both included. */ from: number, to: number];

/** Inclusive and exclusive ends: of a range of actions with the same prefix, and of the time. */
export type ChainFilter = [
  action: string | null,
  actionFrom: string | null,
  actionTo: string | null,
  occurredFrom: string | null,
  occurredTo: string | null,
];

export type PayloadFilter = [
  actorId: string | null,
  actorType: string | null,
  targetId: string | null,
  targetType: string | null,
];

/** How far each is from the first of the range, in any order; null for none. */
interface InRangeRow {
  readonly places: readonly number[] | null;
}

/** Conditions on the chain whose five parameters begin with `$first`. */
export const chainConditions = (first: number): string => {
  const parameter = (index: number) => `$${first + index}::text`;
  return `(${parameter(0)} IS NULL OR action = ${parameter(0)})
    AND (${parameter(1)} IS NULL OR action >= ${parameter(1)})
    AND (${parameter(2)} IS NULL OR action < ${parameter(2)})
    AND (${parameter(3)} IS NULL OR occurred_at >= ${parameter(3)})
    AND (${parameter(4)} IS NULL OR occurred_at < ${parameter(4)})`;
};

/** Conditions on the payloads whose four parameters begin with `$first`. */
export const payloadConditions = (first: number): string =>
  ["actor_id", "actor_type", "target_id", "target_type"]
    .map((column, index) => [column, `$${first + index}::text`])
    .map(([column, parameter]) => `(${parameter} IS NULL OR ${column} = ${parameter})`)
    .join("\n    AND ");

const inRange = (
  table: string,
  conditions: string,
): string => `SELECT sequence_number - $2::bigint AS place
  FROM ledger.${table}
  WHERE account_id = $1::text AND sequence_number BETWEEN $2::bigint AND $3::bigint
    AND ${conditions}`;

const places = (found: string): string =>
  `SELECT array_to_json(array_agg(place)) AS places FROM (\n  ${found}\n) AS found\n`;

const IN_CHAIN = inRange("chain", chainConditions(4));

export const findByChain = statement<[...InRange, ...ChainFilter], InRangeRow>(
  `/* ledger.find-by-chain */\n${places(IN_CHAIN)}`,
);

export const findByPayload = statement<[...InRange, ...PayloadFilter], InRangeRow>(
  `/* ledger.find-by-payload */\n${places(inRange("payloads", payloadConditions(4)))}`,
);

export const findByBoth = statement<[...InRange, ...ChainFilter, ...PayloadFilter], InRangeRow>(
  `/* ledger.find-by-both */
${places(`${IN_CHAIN}
  INTERSECT
  ${inRange("payloads", payloadConditions(9))}`)}`,
);

export const findOfNumbers = statement<
  [accountId: string, numbers: readonly number[], ...ChainFilter],
  InRangeRow
>(`/* ledger.find-of-numbers */
SELECT array_to_json(array_agg(number)) AS places
FROM unnest($2::bigint[]) AS asked (number)
CROSS JOIN LATERAL (
  SELECT 1 FROM ledger.chain
  WHERE account_id = $1::text AND sequence_number = asked.number
    AND ${chainConditions(3)}
  LIMIT 1
) AS found
`);
