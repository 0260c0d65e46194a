// Finds the events of some segments whose values are within some ranges, by the blocks of the filter index:
// of each segment and field their places together, in no order. A segment that was sealed, or made fresh
// again, since it was planned has no row, and no segment has one if a declared field was deleted. Beyond a
// number of bytes, counted segment by segment in the order of the search, the places of a segment are left
// out; those of the first one are always read.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  /** Segments in the order of the search. */
  levels: readonly number[],
  bases: readonly number[],
  /** Ranges of keys of a field. The first end is included, the second is not. */
  fields: readonly number[],
  since: readonly string[],
  before: readonly string[],
  /** 1 if the segments ascend, -1 if they descend. */
  direction: 1 | -1,
  maxBytes: number,
];

export interface PlacesRow {
  readonly base: string;
  /** Null: no event of the segment has such a value. */
  readonly field: number | null;
  /** Whether some of these events may have another value. */
  readonly is_any: boolean;
  readonly is_left: boolean;
  /** Two bytes each. */
  readonly places: Buffer | null;
}

// The blocks of a range begin with the last one that begins at its first key or before. The LIMITs leave out
// no row: they keep PostgreSQL from joining with all rows of the account. It knows the size of places that
// are stored out of line without reading them. A single key has few places, unless it has a block of its own.
// The keys of a block are ascending, so width_bucket counts those up to a value by a binary search, and the
// places of a range are one piece.
export const findPlaces = statement<Params, PlacesRow>(
  `/* ledger.find-places */
SELECT base, field, coalesce(bool_or(since = '' AND places IS NOT NULL), false) AS is_any,
  coalesce(bool_or(NOT is_within), false) AS is_left, string_agg(places, ''::bytea) AS places
FROM (
  SELECT measured.base, measured.field, measured.since, measured.is_within, (
    SELECT substring(
      measured.places FROM 2 * (SELECT coalesce(sum(events), 0) FROM unnest(measured.counts[:low]) AS events)::integer + 1
      FOR CASE WHEN measured.counts IS NULL THEN octet_length(measured.places)
        ELSE 2 * (SELECT sum(events) FROM unnest(measured.counts[low + 1:high]) AS events)::integer END)
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
  ) AS places
  FROM (
    SELECT asked.base, found.field, found.since, found.before, found.keys, found.counts, found.places,
      asked.base = ($3::bigint[])[1] OR sum(
        CASE WHEN found.counts IS NULL OR found.before <> found.since || chr(1) THEN octet_length(found.places)
          ELSE 64 END
      ) OVER (ORDER BY asked.base * $7::integer) <= $8::bigint AS is_within
    FROM unnest($2::integer[], $3::bigint[]) AS asked (level, base)
    CROSS JOIN LATERAL (
      SELECT 1 FROM ledger.segments
      WHERE account_id = $1::text AND segments.level = asked.level AND segments.base = asked.base
        AND (asked.level = 1 OR NOT EXISTS (
          SELECT 1 FROM ledger.segments AS sealed
          WHERE sealed.account_id = $1::text AND sealed.level = 1 AND sealed.base = asked.base / 65536 * 65536))
        AND (SELECT count(DISTINCT field) FROM unnest($4::integer[]) AS field WHERE field >= 16) = (
          SELECT count(*) FROM ledger.fields
          WHERE account_id = $1::text AND field = ANY ($4::integer[]) AND field >= 16 AND deleted_at IS NULL)
      LIMIT 1
    ) AS kept
    LEFT JOIN LATERAL (
      SELECT term.field, term.since, term.before, block.keys, block.counts, block.places
      FROM unnest($4::integer[], $5::text[], $6::text[]) AS term (field, since, before)
      CROSS JOIN LATERAL (
        SELECT keys, counts, places FROM ledger.blocks
        WHERE account_id = $1::text AND blocks.field = term.field AND blocks.level = asked.level
          AND blocks.base = asked.base AND first < term.before
          AND first >= coalesce((
            SELECT first FROM ledger.blocks
            WHERE account_id = $1::text AND blocks.field = term.field AND blocks.level = asked.level
              AND blocks.base = asked.base AND first <= term.since
            ORDER BY first DESC LIMIT 1
          ), '')
        ORDER BY first LIMIT 65536
      ) AS block
    ) AS found ON true
  ) AS measured
) AS found
GROUP BY base, field
`,
  { route: "one account" },
);
