// Reads a range of a chain as stored, for verification and for replays. A null, which the table
// refuses, is returned: the owner of the schema may have allowed and stored one.

import type { Copy, Part } from "@annals/event";
import { statement } from "@annals/postgres";
import type { EventRow } from "./event-row.ts";

type Params = [accountId: string, fromSequence: string, toSequence: string, limit: number];

type PartColumn = Part | "salts";

export type RangeRow = Omit<EventRow, PartColumn> & {
  readonly [Column in PartColumn]: EventRow[Column] | null;
} & Readonly<Record<Copy, string | null>>;

export const readRange = statement<Params, RangeRow>(
  `/* ledger.read-range */
SELECT sequence_number, id, action, occurred_at, received_at, created_at, digests, previous_hash, hash,
  actor, context, diff, metadata, target, salts, erased, actor_id, actor_type, target_id, target_type
FROM ledger.events
WHERE account_id = $1::text AND sequence_number BETWEEN $2::bigint AND $3::bigint
ORDER BY sequence_number
LIMIT $4::integer
`,
  { route: "one account" },
);
