// Reads the keys of some segments within some ranges, each with its places, from the blocks of the filter
// index. A segment that was sealed, or made fresh again, since it was planned has no row, and no segment has
// one if a declared field was deleted. Beyond a number of bytes, or of keys, counted segment by segment in
// the order of the search, the blocks of a segment are left out. Called by read-segments.ts.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  /** Segments, descending. */
  levels: readonly number[],
  bases: readonly number[],
  /** Ranges of keys of a field. The first end is included, the second is not. */
  terms: readonly number[],
  fields: readonly number[],
  since: readonly string[],
  before: readonly string[],
  maxBytes: number,
  maxKeys: number,
  /** False: of each key the number of its places alone. */
  withPlaces: boolean,
];

export interface BlockRow {
  readonly base: string;
  /** As it was given with the range; null: the segment has no such key. */
  readonly term: number | null;
  readonly is_left: boolean;
  /** Null: the block has no such key. */
  readonly keys: readonly string[] | null;
  /** Places of each key; null: all are of one. */
  readonly counts: readonly number[] | null;
  /** Places of all keys of the block, two bytes each. */
  readonly bytes: number | null;
  /** Null, too, if they were not asked for. */
  readonly places: Buffer | null;
}

// Blocks are found and cut as in find-places.ts. A block of several keys has some 6 kB.
export const findBlocks = statement<Params, BlockRow>(
  `/* ledger.find-blocks */
SELECT base, term, coalesce(NOT is_within, false) AS is_left, cut.keys, cut.counts, cut.bytes, cut.places
FROM (
  SELECT asked.base, found.term, found.since, found.before, found.keys, found.counts, found.places,
    sum(found.size) OVER in_order <= $8::bigint AND sum(cardinality(found.keys)) OVER in_order <= $9::bigint AS is_within
  FROM unnest($2::integer[], $3::bigint[]) AS asked (level, base)
  CROSS JOIN LATERAL (
    SELECT 1 FROM ledger.segments
    WHERE account_id = $1::text AND segments.level = asked.level AND segments.base = asked.base
      AND (asked.level = 1 OR NOT EXISTS (
        SELECT 1 FROM ledger.segments AS sealed
        WHERE sealed.account_id = $1::text AND sealed.level = 1 AND sealed.base = asked.base / 65536 * 65536))
      AND (SELECT count(DISTINCT field) FROM unnest($5::integer[]) AS field WHERE field >= 16) = (
        SELECT count(*) FROM ledger.fields
        WHERE account_id = $1::text AND field = ANY ($5::integer[]) AND field >= 16 AND deleted_at IS NULL)
    LIMIT 1
  ) AS kept
  LEFT JOIN LATERAL (
    SELECT range.term, range.since, range.before, block.keys, block.counts, block.places,
      CASE WHEN NOT $10::boolean THEN 40 * cardinality(keys)
        WHEN counts IS NULL THEN octet_length(places) + 300 WHEN range.before = range.since || chr(1) THEN 64
        ELSE 6300 END AS size
    FROM unnest($4::integer[], $5::integer[], $6::text[], $7::text[]) AS range (term, field, since, before)
    CROSS JOIN LATERAL (
      SELECT keys, counts, places FROM ledger.blocks
      WHERE account_id = $1::text AND blocks.field = range.field AND blocks.level = asked.level
        AND blocks.base = asked.base AND first < range.before
        AND first >= coalesce((
          SELECT first FROM ledger.blocks
          WHERE account_id = $1::text AND blocks.field = range.field AND blocks.level = asked.level
            AND blocks.base = asked.base AND first <= range.since
          ORDER BY first DESC LIMIT 1
        ), '')
      ORDER BY first LIMIT 65536
    ) AS block
  ) AS found ON true
  WINDOW in_order AS (ORDER BY asked.base DESC)
) AS measured
LEFT JOIN LATERAL (
  SELECT array_to_json(measured.keys[low + 1:high]) AS keys, array_to_json(measured.counts[low + 1:high]) AS counts,
    octet_length(measured.places) AS bytes,
    CASE WHEN $10::boolean THEN substring(
      measured.places FROM 2 * (SELECT coalesce(sum(events), 0) FROM unnest(measured.counts[:low]) AS events)::integer + 1
      FOR CASE WHEN measured.counts IS NULL THEN octet_length(measured.places)
        ELSE 2 * (SELECT sum(events) FROM unnest(measured.counts[low + 1:high]) AS events)::integer END) END AS places
  FROM (
    SELECT since_at - (measured.keys[since_at] IS NOT DISTINCT FROM measured.since)::integer AS low,
      before_at - (measured.keys[before_at] IS NOT DISTINCT FROM measured.before)::integer AS high
    FROM (
      SELECT width_bucket(measured.since, measured.keys) AS since_at,
        width_bucket(measured.before, measured.keys) AS before_at
      OFFSET 0
    ) AS cut
    OFFSET 0
  ) AS cut
  WHERE measured.is_within AND low < high
) AS cut ON true
`,
  { route: "one account" },
);
