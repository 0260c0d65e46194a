// Reads events of an account by their numbers, in order, until their parts reach a number of bytes; the event
// that reaches it is the last. Called by rpc/read-events.ts. PostgreSQL knows the sizes without reading the
// parts.

import { statement } from "@annals/postgres";
import type { EventRow } from "../../store/event-row.ts";
import { IS_KEPT } from "../../store/find-matches.ts";

type Params = [accountId: string, sequenceNumbers: readonly bigint[], maxBytes: number];

/** An event, and how many of the numbers have an event. */
export type CountedEventRow = EventRow & { readonly found: number };

// The events are measured first and then looked up, so that no more of them are held than are returned. They
// are not joined: for an account that has grown since the last ANALYZE, PostgreSQL expects one row, and may
// join by reading the whole account for each row.
export const readEvents = statement<Params, CountedEventRow>(
  `/* ledger.read-events */
SELECT event.sequence_number, id, action, occurred_at, received_at, created_at, digests, previous_hash, hash,
  actor, context, diff, metadata, target, salts, erased, found
FROM (
  SELECT sequence_number, count(*) OVER ()::integer AS found,
    coalesce(sum(octet_length(actor) + octet_length(context) + octet_length(diff) + octet_length(metadata)
      + octet_length(target)) OVER (ORDER BY sequence_number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
  FROM ledger.events
  WHERE account_id = $1::text AND sequence_number = ANY ($2::bigint[]) AND ${IS_KEPT}
) AS sized
CROSS JOIN LATERAL (
  SELECT events.sequence_number, id, action, occurred_at, received_at, created_at, digests, previous_hash, hash,
    actor, context, diff, metadata, target, salts, erased
  FROM ledger.events
  WHERE events.account_id = $1::text AND events.sequence_number = sized.sequence_number
  LIMIT 1
) AS event
WHERE before < $3::bigint
ORDER BY sized.sequence_number
`,
  { route: "one account", customPlan: true },
);
