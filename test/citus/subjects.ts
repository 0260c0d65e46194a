// The accounts that cases are for: two with rows on each worker, each in a shard of its own, and one without
// rows on each worker. Called by statements.test.ts.

import type { TestDatabase } from "@annals/testing";
import type { Subject } from "./cases/case.ts";
import type { Subjects } from "./parameters.ts";
import { entryNumber } from "./seeds/audit.ts";
import { chainOf } from "./seeds/chain.ts";
import { deliveryNumber } from "./seeds/webhooks.ts";

export interface Placed {
  readonly id: string;
  readonly shard: string;
  readonly port: number;
}

const CANDIDATES = 200;
/** One in each of the shards that a table has in these tests. */
const SEEDED = 4;

export interface World {
  /** Accounts with rows. Those of the two workers alternate. */
  readonly accounts: readonly string[];
  readonly subjects: Subjects;
}

export async function findWorld(distributed: Pick<TestDatabase, "query">): Promise<World> {
  const placed = await distributed.query<Placed>(
    `SELECT id, shardid::text AS shard, nodeport AS port
     FROM (SELECT 'acct_' || n AS id FROM generate_series(1, ${CANDIDATES}) AS n) AS candidates
     JOIN pg_dist_shard_placement ON shardid = get_shard_id_for_distribution_column('ledger.heads', id)
     ORDER BY id`,
  );
  return worldOf(placed);
}

/** The same with accounts whose places are given. */
export function worldOf(placed: readonly Placed[]): World {
  const seeded = placed.filter(
    ({ shard }, index) => placed.findIndex((each) => each.shard === shard) === index,
  );
  const [port = 0] = seeded.map((each) => each.port);
  const [ofFirst, ofSecond] = [true, false].map((is) =>
    seeded.filter((each) => (each.port === port) === is),
  );
  const alternating = (ofFirst ?? []).flatMap((one, index) => [one, ofSecond?.[index]]);
  const chosen = alternating.filter((each) => each !== undefined);
  if (chosen.length !== SEEDED) throw new Error("the shards are not evenly on two workers");
  const fresh = [true, false].flatMap(
    (is) => placed.findLast((each) => (each.port === port) === is) ?? [],
  );
  const placeOf = new Map(placed.map((each) => [each.id, each]));
  const accounts = chosen.map(({ id }) => id);
  const subjectOf = (ids: readonly string[]): Subject => {
    const [account = ""] = ids;
    const index = accounts.indexOf(account);
    return {
      account,
      accounts: ids,
      worker: placeOf.get(account)?.port ?? 0,
      shards: new Set(ids.map((id) => placeOf.get(id)?.shard)).size,
      delivery: (place) => String(deliveryNumber(index, place)),
      entry: (place) => String(entryNumber(accounts.length, index, place)),
      chain: index === -1 ? [] : chainOf(account),
    };
  };
  const freshIds = fresh.map(({ id }) => id);
  return {
    accounts,
    subjects: {
      main: accounts.slice(0, 2).map((id) => subjectOf([id])),
      others: [...accounts.slice(2), ...freshIds].map((id) => subjectOf([id])),
      several: [accounts.slice(0, 2), [...accounts, ...freshIds]].map(subjectOf),
    },
  };
}
