// Reads the keys of some segments within some ranges, each with its places, from the blocks of the filter
// index. A segment that was sealed, or made fresh again, since it was planned has no row, and no segment has
// one if a declared field was deleted. Beyond a number of bytes, or of keys, counted segment by segment in
// the order of the search, the blocks of a segment are left out. Called by read-segments.ts.

import { statement } from "@annals/postgres";
import { type AskedBlocks, BLOCKS, CUT, KEPT, PLACES } from "../../store/asked-blocks.ts";

type Params = [
  /** The segments descend. */
  ...AskedBlocks,
  /** What each range belongs to. */
  terms: readonly number[],
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

// A block of several keys has some 6 kB.
export const findBlocks = statement<Params, BlockRow>(
  `/* ledger.find-blocks */
SELECT base, term, coalesce(NOT is_within, false) AS is_left, cut.keys, cut.counts, cut.bytes, cut.places
FROM (
  -- Keys are only unpacked to be counted where the bytes fit.
  SELECT *, are_bytes_within
    AND sum(CASE WHEN are_bytes_within THEN cardinality(keys) END) OVER (ORDER BY base DESC) <= $9::bigint AS is_within
  FROM (
    SELECT asked.base, found.term, found.since, found.before, found.keys, found.counts, found.places,
      sum(found.size) OVER (ORDER BY asked.base DESC) <= $8::bigint AS are_bytes_within
    FROM unnest($2::integer[], $3::bigint[]) AS asked (level, base)
    CROSS JOIN LATERAL (${KEPT}
    ) AS kept
    LEFT JOIN LATERAL (
      SELECT range.term, range.since, range.before, block.keys, block.counts, block.places,
        CASE WHEN NOT $10::boolean THEN 40 * cardinality(keys)
          WHEN counts IS NULL THEN octet_length(places) + 300 WHEN range.before = range.since || chr(1) THEN 64
          ELSE 6300 END AS size
      FROM unnest($4::integer[], $5::text[], $6::text[], $7::integer[]) AS range (field, since, before, term)
      CROSS JOIN LATERAL (${BLOCKS}
      ) AS block
    ) AS found ON true
  ) AS sized
) AS measured
LEFT JOIN LATERAL (
  SELECT array_to_json(measured.keys[low + 1:high]) AS keys, array_to_json(measured.counts[low + 1:high]) AS counts,
    octet_length(measured.places) AS bytes, CASE WHEN $10::boolean THEN ${PLACES} END AS places
  FROM (${CUT}
  ) AS cut
  WHERE measured.is_within AND low < high
) AS cut ON true
`,
  { route: "one account" },
);
