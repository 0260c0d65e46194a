// The hashes of ranges of events, one range an account, in the order of the chain. A range that lacks an
// event returns fewer rows.

import { statement } from "@annals/postgres";

type Params = [
  accountIds: readonly string[],
  /** The number before each range, and its last one. */
  after: readonly string[],
  to: readonly string[],
];

export interface LeafRow {
  readonly account_id: string;
  readonly hash: Buffer;
}

export const listLeaves = statement<Params, LeafRow>(
  `/* ledger.list-leaves */
SELECT events.account_id, events.hash
FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS given (account_id, after, last)
JOIN ledger.events ON events.account_id = given.account_id
  AND events.sequence_number > given.after AND events.sequence_number <= given.last
WHERE events.account_id = ANY ($1::text[])
ORDER BY events.account_id, events.sequence_number
`,
  { route: "some accounts" },
);
