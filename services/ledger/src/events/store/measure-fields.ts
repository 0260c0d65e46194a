// The same as measure-events.ts with the values of some fields, as far as the parts of the events fit into a
// number of bytes: those of the first one are always read. Values are found by the function that makes the
// index, so that a webhook is sent what a list finds.

import { statement } from "@annals/postgres";
import { IS_KEPT } from "../../store/find-matches.ts";
import type { EventSizeRow } from "./measure-events.ts";

type Params = [
  accountId: string,
  afterSequence: bigint,
  limit: number,
  maxBytes: number,
  /** An array of `PlaceInParts` as JSON. */
  fields: string,
];

interface Row extends EventSizeRow {
  /** The values of each field, in the order of their bytes. */
  readonly keys: readonly (readonly string[])[];
}

export const measureFields = statement<Params, Row>(
  `/* ledger.measure-fields */
SELECT sequence_number, bytes, action, actor_id, actor_type, target_id, target_type, (
    SELECT json_agg((
        SELECT coalesce(json_agg(value ORDER BY value COLLATE "C"), '[]')
        FROM (
          SELECT unnest(ledger.values_of(
            ledger.part_of(field ->> 'part', actor, context, diff, metadata, target),
            (field ->> 'members')::text[], field ->> 'type', (field ->> 'ignore_case')::boolean)) AS value
        ) AS found
      ) ORDER BY place)
    FROM jsonb_array_elements($5::jsonb) WITH ORDINALITY AS asked (field, place)
  ) AS keys
FROM (
  SELECT *, sum(bytes) OVER (ORDER BY sequence_number ROWS UNBOUNDED PRECEDING) AS all_bytes
  FROM (
    SELECT sequence_number, action, actor_id, actor_type, target_id, target_type, actor, context, diff, metadata, target,
      octet_length(actor) + octet_length(context) + octet_length(diff) + octet_length(metadata)
        + octet_length(target) AS bytes
    FROM ledger.events
    WHERE account_id = $1::text AND sequence_number > $2::bigint AND ${IS_KEPT}
    ORDER BY sequence_number
    LIMIT $3::integer
  ) AS event
) AS measured
WHERE all_bytes - bytes < $4::bigint
ORDER BY sequence_number
`,
  { route: "one account", customPlan: true },
);
