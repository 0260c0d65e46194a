// What statements that look values up in the blocks of the filter index have in common: segments as `asked`,
// some ranges of keys as `range`, and blocks cut to them as `cut`. Called by find-places.ts and
// find-blocks.ts, whose parameters from $1 to $6 are {@link AskedBlocks}. It must never find a block of a
// segment that was sealed, or made fresh again, since it was planned.

export type AskedBlocks = [
  accountId: string,
  /** Segments in the order of the search. */
  levels: readonly number[],
  bases: readonly number[],
  /** Ranges of keys of a field. The first end is included, the second is not. */
  fields: readonly number[],
  since: readonly string[],
  before: readonly string[],
];

/** One row where the segment `asked` has blocks, and no field that was declared is deleted. */
export const KEPT = `
    SELECT 1 FROM ledger.segments
    WHERE account_id = $1::text AND segments.level = asked.level AND segments.base = asked.base
      AND (asked.level = 1 OR NOT EXISTS (
        SELECT 1 FROM ledger.segments AS sealed
        WHERE sealed.account_id = $1::text AND sealed.level = 1 AND sealed.base = asked.base / 65536 * 65536))
      AND (SELECT count(DISTINCT field) FROM unnest($4::integer[]) AS field WHERE field >= 16) = (
        SELECT count(*) FROM ledger.fields
        WHERE account_id = $1::text AND field = ANY ($4::integer[]) AND field >= 16 AND deleted_at IS NULL)
    LIMIT 1`;

/**
 * The blocks of `asked` that may have a key of `range`: from the last one on that begins at its first key or
 * before. The LIMIT leaves out no row: it keeps PostgreSQL from joining with all rows of the account.
 */
export const BLOCKS = `
      SELECT keys, counts, places FROM ledger.blocks
      WHERE account_id = $1::text AND blocks.field = range.field AND blocks.level = asked.level
        AND blocks.base = asked.base AND first < range.before
        AND first >= coalesce((
          SELECT first FROM ledger.blocks
          WHERE account_id = $1::text AND blocks.field = range.field AND blocks.level = asked.level
            AND blocks.base = asked.base AND first <= range.since
          ORDER BY first DESC LIMIT 1
        ), '')
      ORDER BY first LIMIT 65536`;

/**
 * The keys of `measured` that are in its range: those behind `low`, up to `high`. The keys of a block are
 * ascending, so width_bucket counts those up to a value by a binary search.
 */
export const CUT = `
    SELECT since_at - (measured.keys[since_at] IS NOT DISTINCT FROM measured.since)::integer AS low,
      before_at - (measured.keys[before_at] IS NOT DISTINCT FROM measured.before)::integer AS high
    FROM (
      SELECT width_bucket(measured.since, measured.keys) AS since_at,
        width_bucket(measured.before, measured.keys) AS before_at
      OFFSET 0
    ) AS cut
    OFFSET 0`;

/** The places of these keys, which are one piece. */
export const PLACES = `substring(
      measured.places FROM 2 * (SELECT coalesce(sum(events), 0) FROM unnest(measured.counts[:low]) AS events)::integer + 1
      FOR CASE WHEN measured.counts IS NULL THEN octet_length(measured.places)
        ELSE 2 * (SELECT sum(events) FROM unnest(measured.counts[low + 1:high]) AS events)::integer END)`;
