// Looks for a text in some events of an account, given by their numbers, as far as the parts that may be read
// fit into a number of bytes: those of the first one are always read. It compares the columns of a filter,
// too. Called by compared.ts.
//
// It searches bytes: position() of texts takes the product of both lengths for some of them, and that of
// bytes a few nanoseconds for each byte, whatever they are.

import { statement } from "@annals/postgres";
import { filterConditions, type FilterParams } from "../../store/find-matches.ts";

type Params = [
  accountId: string,
  /** In the order in which they are compared. */
  numbers: readonly number[],
  maxBytes: number,
  /** Those that are read, out of WIDGET_PARTS. */
  parts: readonly string[],
  /** JSON without quotes, ASCII letters in lower case. */
  text: Buffer,
  otherText: Buffer | null,
  ...FilterParams,
];

interface Row {
  /** In order. Null: none matches. */
  readonly numbers: readonly number[] | null;
  /** Of the parts that were read; null: of none. */
  readonly bytes: string | null;
  /** Place, from 1, of the last number whose parts were read. */
  readonly last_place: string | null;
}

const PARTS = ["actor", "context", "diff", "metadata", "target"];

/** A part that is not read is empty. */
const SHOWN = PARTS.map((part) => {
  const name = part === "actor" || part === "target" ? `${part}.meta` : part;
  return `CASE WHEN '${name}' = ANY ($4::text[]) THEN ${part} ELSE '' END AS ${part}`;
}).join(",\n      ");

const SIZE = PARTS.map((part) => `octet_length(${part})`).join(" + ");

/** What nothing that is looked for has in it: a line break is escaped in JSON. */
const HAYSTACK = `concat_ws(E'\\n', to_json(action), to_json(actor_id), to_json(actor_type), to_json(target_id),
    to_json(target_type), ${PARTS.join(", ")})`;

export const findText = statement<Params, Row>(
  `/* ledger.find-text */
SELECT array_to_json(array_agg(number ORDER BY place) FILTER (
    WHERE position($5::bytea IN haystack) > 0
      OR $6::bytea IS NOT NULL AND position($6::bytea IN haystack) > 0)) AS numbers,
  max(bytes) AS bytes, max(place) AS last_place
FROM (
  SELECT sized.*, sum(size) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) AS bytes
  FROM (
    SELECT shown.*, ${SIZE} AS size
    FROM (
      SELECT asked.number, asked.place, event.*
      FROM unnest($2::bigint[]) WITH ORDINALITY AS asked (number, place)
      CROSS JOIN LATERAL (
        SELECT action, actor_id, actor_type, target_id, target_type,
      ${SHOWN}
        FROM ledger.events
        WHERE account_id = $1::text AND sequence_number = asked.number
          AND ${filterConditions(7)}
        LIMIT 1
      ) AS event
    ) AS shown
  ) AS sized
) AS measured
CROSS JOIN LATERAL (
  SELECT convert_to(lower(${HAYSTACK} COLLATE "C"), 'UTF8') AS haystack OFFSET 0
) AS folded
WHERE bytes - size < $3::bigint
`,
  { route: "one account" },
);
