// The servers over which accounts are distributed: how many shards each has, and an id that an account of one
// of them could have. It reads the catalog of Citus, which every node has.

import { statement } from "@annals/postgres";

export interface ServerRow {
  readonly shards: number;
  readonly account_id: string;
}

export const listServers = statement<[], ServerRow>(
  `/* ledger.list-servers */
SELECT count(DISTINCT placement.shardid)::integer AS shards, min(probe.account_id) AS account_id
FROM pg_catalog.pg_dist_shard AS shard
JOIN pg_catalog.pg_dist_placement AS placement ON placement.shardid = shard.shardid
JOIN (
  SELECT id AS account_id, pg_catalog.get_shard_id_for_distribution_column('ledger.heads', id) AS shardid
  FROM (SELECT 'probe_' || number AS id FROM generate_series(1, 1000) AS number) AS ids
) AS probe ON probe.shardid = shard.shardid
WHERE shard.logicalrelid = 'ledger.heads'::regclass
GROUP BY placement.groupid
`,
  { route: "local" },
);
