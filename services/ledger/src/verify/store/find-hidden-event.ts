// The first event of a range that lists would skip, because the filter index does not agree with the chain: a
// place or a time of its segment was changed or is missing. The range has to be within one segment. No event:
// lists skip none. Superfluous places hide nothing: a list compares every event with its filter.

import { statement } from "@annals/postgres";
import { type IndexedField, OUTCOME } from "../../search/rules/in-parts.ts";

type Segment = [accountId: string, level: number, base: number];
/** Both ends are included. */
type Of = [...Segment, fromSequence: number, toSequence: number];

interface HiddenEventRow {
  /**
   * Whether the blocks are those of this segment and field. It may have been sealed, or the field deleted:
   * then nothing was compared.
   */
  readonly is_kept: boolean;
  readonly sequence_number: string | null;
  readonly id: string | null;
}

/** A field of ledger.blocks, and where its values are: null for that of a column. */
type Field = [
  field: number,
  path: readonly string[] | null,
  type: string | null,
  ignoreCase: boolean | null,
];

/** Those that every account has. */
export const FIELDS: readonly Field[] = [
  ...[1, 2, 3, 4, 5].map((column): Field => [column, null, null, null]),
  fieldParams(OUTCOME),
];

export function fieldParams({ field, ignore_case: ignoreCase, path, type }: IndexedField): Field {
  return [field, path, type, ignoreCase];
}

// The entries are made again as the function `ledger.make_blocks` makes them, and put together with the
// stored ones by their keys: a join could compare each with each. Of a stored key only what a list would find
// counts: it has to be between the first key of its block and that of the next one, and the keys of the block
// have to ascend. Most entries are equal, so few places are compared. The LIMITs leave out no row: for an
// account that has grown since the last ANALYZE, PostgreSQL expects one row, and may join by reading the
// whole account for each row.
export const findHiddenValue = statement<[...Of, ...Field], HiddenEventRow>(
  `/* ledger.find-hidden-value */
SELECT kept.is_kept, event.sequence_number, event.id
FROM (
  SELECT max(level) = $2::smallint AND ($6::integer < 16 OR EXISTS (
    SELECT 1 FROM ledger.fields
    WHERE account_id = $1::text AND field = $6::smallint AND deleted_at IS NULL AND from_base <= $3::bigint
  )) AS is_kept FROM ledger.segments
  WHERE account_id = $1::text
    AND (level = 0 AND base = $3::bigint OR level = 1 AND base = $3::bigint / 65536 * 65536)
) AS kept
LEFT JOIN (
  WITH copies AS MATERIALIZED (
    SELECT substring(int4send(((sequence_number - 1) % 65536)::integer) FROM 3) AS place, '0'::xid AS hashed,
      CASE WHEN octet_length(value) > 256 THEN '' ELSE value END COLLATE "C" AS key
    FROM (
      SELECT sequence_number, unnest(CASE $6::integer WHEN 1 THEN ARRAY[action] WHEN 2 THEN ARRAY[actor_id]
        WHEN 3 THEN ARRAY[actor_type] WHEN 4 THEN ARRAY[target_id] WHEN 5 THEN ARRAY[target_type]
        ELSE ledger.keys_of(
          ledger.part_of(($7::text[])[1], actor, context, diff, metadata, target),
          ($7::text[])[2:], $8::text, $9::boolean) END) AS value
      FROM ledger.events
      WHERE account_id = $1::text AND sequence_number BETWEEN $4::bigint AND $5::bigint AND erased & 32 <> 32
      ORDER BY sequence_number
    ) AS events
    WHERE value IS NOT NULL
  ), differing AS MATERIALIZED (
    SELECT key, string_agg(places, ''::bytea) FILTER (WHERE NOT is_stored) AS expected,
      string_agg(places, ''::bytea) FILTER (WHERE is_stored) AS stored
    FROM (
      SELECT key, string_agg(place, ''::bytea) AS places, false AS is_stored FROM copies GROUP BY key, hashed
      UNION ALL
      SELECT entry.key, entry.places, true
      FROM (
        SELECT keys, counts, places, first, lead(first) OVER (ORDER BY first) AS following,
          keys = ARRAY(SELECT key FROM unnest(keys) AS key ORDER BY key COLLATE "C") AS is_ascending
        FROM ledger.blocks
        WHERE account_id = $1::text AND field = $6::smallint AND level = $2::smallint AND base = $3::bigint
      ) AS block
      CROSS JOIN LATERAL (
        SELECT key, substring(block.places FROM 2 * (sum(events) OVER (ORDER BY n) - events)::integer + 1
          FOR 2 * events) AS places
        FROM (
          SELECT key, n, CASE WHEN block.counts IS NULL THEN octet_length(block.places) / 2 ELSE count END AS events
          FROM unnest(block.keys, block.counts) WITH ORDINALITY AS counted (key, count, n)
        ) AS counted
      ) AS entry
      WHERE is_ascending AND entry.key >= block.first AND (block.following IS NULL OR entry.key < block.following)
    ) AS entries
    GROUP BY key
    HAVING string_agg(places, ''::bytea) FILTER (WHERE NOT is_stored)
      IS DISTINCT FROM string_agg(places, ''::bytea) FILTER (WHERE is_stored)
  ), hidden AS (
    SELECT key, substring(expected FROM 2 * at + 1 FOR 2) AS place
    FROM differing CROSS JOIN LATERAL generate_series(0, octet_length(expected) / 2 - 1) AS at
    EXCEPT
    SELECT key, substring(stored FROM 2 * at + 1 FOR 2)
    FROM differing CROSS JOIN LATERAL generate_series(0, octet_length(stored) / 2 - 1) AS at
  )
  SELECT sequence_number, id FROM ledger.events
  WHERE account_id = $1::text
    AND sequence_number = (
      SELECT $3::bigint / 65536 * 65536 + 1 + min(get_byte(place, 0) * 256 + get_byte(place, 1)) FROM hidden)
  LIMIT 1
) AS event ON kept.is_kept
`,
  { route: "one account", customPlan: true },
);

type Range = [accountId: string, fromSequence: number, toSequence: number];

/**
 * An event that a list by time would skip; of a chunk that the index does not have, the first one. It is the
 * first one, too, if all events of a chunk are there and its times are wider: bars would begin too early.
 */
export const findHiddenTime = statement<Range, Omit<HiddenEventRow, "is_kept">>(
  `/* ledger.find-hidden-time */
SELECT event.sequence_number, event.id
FROM generate_series(($2::bigint - 1) / 4096 * 4096, $3::bigint - 1, 4096) AS chunk (base)
LEFT JOIN LATERAL (
  SELECT earliest, latest, first_received, last_received FROM ledger.segments
  WHERE account_id = $1::text AND level = 0 AND segments.base = chunk.base
  LIMIT 1
) AS segment ON true
CROSS JOIN LATERAL (
  SELECT coalesce(
      min(sequence_number) FILTER (
        WHERE (occurred_at BETWEEN segment.earliest AND segment.latest
          AND received_at BETWEEN segment.first_received AND segment.last_received) IS NOT TRUE),
      CASE WHEN count(*) = 4096 AND (min(occurred_at), max(occurred_at), min(received_at), max(received_at))
          <> (segment.earliest, segment.latest, segment.first_received, segment.last_received)
        THEN min(sequence_number) END
    ) AS number
  FROM (
    SELECT sequence_number, occurred_at, received_at FROM ledger.events
    WHERE account_id = $1::text AND sequence_number BETWEEN greatest($2::bigint, chunk.base + 1)
        AND least($3::bigint, chunk.base + 4096)
    ORDER BY sequence_number
  ) AS events
) AS wrong
CROSS JOIN LATERAL (
  SELECT sequence_number, id FROM ledger.events
  WHERE account_id = $1::text AND sequence_number = wrong.number
  LIMIT 1
) AS event
ORDER BY event.sequence_number LIMIT 1
`,
  { route: "one account", customPlan: true },
);
