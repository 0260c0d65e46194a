// Compares what the chain of an account records of erasures, holds and retention with what is done. It reads
// the tables without any code of the product. Imported by tests only.

import type { TestDatabase } from "@annals/testing";

/** Lists where the records of the chain and the tables differ, at one moment. */
export function lifecycleFaults(
  owner: TestDatabase,
  accountId: string,
): Promise<Record<string, unknown>[]> {
  return owner.query(`WITH ${SAID} ${[...ERASURES, ...HOLDS, ...CUTS].join(" UNION ALL ")}`, [
    accountId,
  ]);
}

/** Parts actor and metadata are erased: 9. An event that retention has deleted is gone, or a leaf: 63. */
const SAID = `life AS (SELECT * FROM ledger.lifecycles WHERE account_id = $1),
  stored AS (SELECT * FROM ledger.events WHERE account_id = $1),
  kept AS (SELECT * FROM stored WHERE erased & 32 = 0),
  records AS (
    SELECT sequence_number AS record, action, metadata::jsonb AS said FROM kept
    WHERE action IN ('annals.clock', 'annals.erasure', 'annals.hold', 'annals.retention')
  ), named AS (
    SELECT record, number FROM records
    CROSS JOIN LATERAL regexp_split_to_table(said ->> 'sequence_numbers', ',') AS range
    CROSS JOIN LATERAL generate_series(
      split_part(range, '-', 1)::bigint, coalesce(nullif(split_part(range, '-', 2), ''), range)::bigint) AS number
    WHERE action = 'annals.erasure'
  ), erased AS (SELECT sequence_number AS number FROM kept WHERE erased = 9),
  held AS (SELECT * FROM ledger.holds WHERE account_id = $1),
  cuts AS (
    SELECT record, (said ->> 'through_sequence')::bigint AS through FROM records WHERE action = 'annals.retention'
  )`;

const ERASURES = [
  `SELECT 'erasure recorded and not done' AS fault, number FROM named, life
     WHERE number > deleted_through AND number NOT IN (TABLE erased)`,
  "SELECT 'erased and not recorded', number FROM erased WHERE number NOT IN (SELECT number FROM named)",
  "SELECT 'erased in part', sequence_number FROM kept WHERE erased NOT IN (0, 9)",
  `SELECT 'erasure ended and values left in the index', count(*) FROM ledger.unindexed
     WHERE account_id = $1 AND NOT EXISTS (
       SELECT 1 FROM ledger.erasures WHERE account_id = $1 AND status IN ('pending', 'running') AND done_at IS NULL)
     HAVING count(*) > 0`,
  "SELECT 'erasure recorded twice', number FROM named GROUP BY number HAVING count(*) > 1",
  `SELECT 'erased under the hold ' || id, number FROM named JOIN held ON number BETWEEN from_sequence AND to_sequence
     AND record > placed_by AND record < coalesce(released_by, 9e18)`,
];

const HOLDS = [
  `SELECT 'recorded hold without its row', record FROM records WHERE action = 'annals.hold' AND NOT EXISTS (
     SELECT 1 FROM held WHERE id = said ->> 'hold'
       AND record = CASE said ->> 'state' WHEN 'placed' THEN placed_by ELSE released_by END)`,
  `SELECT 'hold without its record ' || id, placed_by FROM held, life
     WHERE placed_by > deleted_through AND placed_by NOT IN (SELECT record FROM records)`,
  `SELECT 'release without its record ' || id, released_by FROM held, life
     WHERE released_by > deleted_through AND released_by NOT IN (SELECT record FROM records)`,
];

const CUTS = [
  `SELECT 'retention recorded under the hold ' || id, through FROM cuts JOIN held ON from_sequence <= through
     AND record > placed_by AND record < coalesce(released_by, 9e18)`,
  `SELECT 'another cut than the last record has', through_sequence FROM life
     WHERE (record_sequence, through_sequence) <> coalesce(
       (SELECT (record, through) FROM cuts ORDER BY record DESC LIMIT 1), (0::bigint, 0::bigint))`,
  "SELECT 'deleted and not recorded', deleted_through FROM life WHERE deleted_through > through_sequence",
  `SELECT 'deleted, or kept, beyond what is said', min(sequence_number) FROM kept
     HAVING min(sequence_number) <> (SELECT deleted_through + 1 FROM life)`,
  `SELECT 'a row is missing', count(*) FROM stored HAVING count(*) <> (
     SELECT sequence_number - min_index FROM ledger.heads, life WHERE heads.account_id = $1)`,
  `SELECT 'a block of a deleted segment', base FROM ledger.blocks, life
     WHERE blocks.account_id = $1 AND base + CASE level WHEN 1 THEN 65536 ELSE 4096 END <= deleted_through`,
];
