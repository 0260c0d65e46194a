// What retention/worker/retention.ts reads to find the last event that may be deleted: the times of single
// events, the first hold, and whether more than records of retention would be deleted.

import { statement } from "@annals/postgres";

type Event = [accountId: string, sequenceNumber: string];

/** No row: the chain has no such event. */
export const getCreatedAt = statement<Event, { readonly created_at: string }>(
  `/* ledger.get-created-at */
SELECT created_at FROM ledger.events WHERE account_id = $1::text AND sequence_number = $2::bigint
`,
  { route: "one account" },
);

export interface FirstHoldRow {
  readonly id: string;
  readonly from_sequence: string;
}

/** The active hold that begins first. */
export const getFirstHold = statement<[accountId: string], FirstHoldRow>(
  `/* ledger.get-first-hold */
SELECT id, from_sequence FROM ledger.holds
WHERE account_id = $1::text AND released_by IS NULL
ORDER BY from_sequence, id
LIMIT 1
`,
  { route: "one account" },
);

type Range = [accountId: string, after: string, through: string];

/** No row: the range has only records of retention, which would be made for each other without end. */
export const findEndingEvent = statement<Range, { readonly sequence_number: string }>(
  `/* ledger.find-ending-event */
SELECT sequence_number FROM ledger.events
WHERE account_id = $1::text AND sequence_number > $2::bigint AND sequence_number <= $3::bigint
  AND action <> 'annals.retention'
ORDER BY sequence_number
LIMIT 1
`,
  { route: "one account" },
);
