// Finds the events of some segments whose values are within some ranges, by the blocks of the filter index:
// of each segment and field their places together, in no order. A segment that was sealed, or made fresh
// again, since it was planned has no row, and no segment has one if a declared field was deleted. Beyond a
// number of bytes, counted segment by segment in the order of the search, the places of a segment are left
// out; those of the first one are always read.

import { statement } from "@annals/postgres";
import { type AskedBlocks, BLOCKS, CUT, KEPT, PLACES } from "../../store/asked-blocks.ts";

type Params = [
  ...AskedBlocks,
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

// PostgreSQL knows the size of places that are stored out of line without reading them. A single key has few
// places, unless it has a block of its own.
export const findPlaces = statement<Params, PlacesRow>(
  `/* ledger.find-places */
SELECT base, field, coalesce(bool_or(since = '' AND places IS NOT NULL), false) AS is_any,
  coalesce(bool_or(NOT is_within), false) AS is_left, string_agg(places, ''::bytea) AS places
FROM (
  SELECT measured.base, measured.field, measured.since, measured.is_within, (
    SELECT ${PLACES}
    FROM (${CUT}
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
    CROSS JOIN LATERAL (${KEPT}
    ) AS kept
    LEFT JOIN LATERAL (
      SELECT range.field, range.since, range.before, block.keys, block.counts, block.places
      FROM unnest($4::integer[], $5::text[], $6::text[]) AS range (field, since, before)
      CROSS JOIN LATERAL (${BLOCKS}
      ) AS block
    ) AS found ON true
  ) AS measured
) AS found
GROUP BY base, field
`,
  { route: "one account" },
);
