// What the leaves of a range of events are made of, in the order of the chain. The parts of the events are
// not read: a leaf has only their digests.

import { statement } from "@annals/postgres";
import type { EventRow } from "../../store/event-row.ts";

type Params = [accountId: string, fromSequence: string, toSequence: string];

export type EntryRow = Pick<
  EventRow,
  | "sequence_number"
  | "id"
  | "action"
  | "occurred_at"
  | "received_at"
  | "created_at"
  | "digests"
  | "previous_hash"
>;

export const listEntries = statement<Params, EntryRow>(
  `/* ledger.list-entries */
SELECT sequence_number, id, action, occurred_at, received_at, created_at, digests, previous_hash
FROM ledger.events
WHERE account_id = $1::text AND sequence_number BETWEEN $2::bigint AND $3::bigint
ORDER BY sequence_number
`,
  { route: "one account" },
);
