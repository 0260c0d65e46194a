// What an erasure does to events: it lists which of some events it may erase, and calls the function
// ledger.erase for a record. Called by erase-found.ts in the transaction of the record, by those that use
// it, and by request-erasure.ts for a single event.

import { statement } from "@annals/postgres";

type Candidates = [
  accountId: string,
  numbers: readonly number[],
  /** The bits of the parts: an event that lacks all of them already is left out. */
  parts: number,
  actorId: string | null,
  targetId: string | null,
];

export interface ErasableRow {
  readonly sequence_number: string;
  /** A hold that covers the event; null if none does. */
  readonly hold: string | null;
}

/** Ascending. Records are left out, and so are events that do not match or that retention has deleted. */
export const listErasable = statement<Candidates, ErasableRow>(
  `/* ledger.list-erasable */
SELECT sequence_number, (
    SELECT min(id) FROM ledger.holds
    WHERE holds.account_id = $1::text AND released_by IS NULL
      AND events.sequence_number >= holds.from_sequence
      AND (holds.to_sequence IS NULL OR events.sequence_number <= holds.to_sequence)
      AND (holds.actor_id IS NULL OR holds.actor_id = events.actor_id)
  ) AS hold
FROM ledger.events
WHERE account_id = $1::text AND sequence_number = ANY ($2::bigint[])
  AND erased & $3::integer <> $3::integer AND erased & 32 <> 32
  AND action NOT IN ('annals.clock', 'annals.erasure', 'annals.hold', 'annals.retention')
  AND ($4::text IS NULL OR actor_id = $4::text) AND ($5::text IS NULL OR target_id = $5::text)
ORDER BY sequence_number
`,
  { route: "one account" },
);

/** Erases what the record says, and returns the number of changed events. */
export const erase = statement<[accountId: string, record: string], { readonly erased: string }>(
  `/* ledger.erase */
SELECT ledger.erase($1::text COLLATE "C", $2::bigint) AS erased
`,
  { route: "one account" },
);
