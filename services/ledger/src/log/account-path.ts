// The path from the root of an epoch's map to an account's head in it, from the buckets of the epoch and the
// heads of the account's bucket. Called by the RPCs of the log.

import type { Database } from "@annals/postgres";
import { bucketOf, type MapPath, pathFromBuckets, readBuckets } from "@annals/tlog";
import type { MapRow } from "./store/epochs.ts";
import { listBucket } from "./store/list-tree-heads.ts";
import { headsOfEpoch } from "./epoch-map.ts";

const PAGE = 1_000;

export class AccountPaths {
  readonly #accountId: string;
  readonly #database: Database;
  readonly #log: number;
  #bucket: Promise<readonly string[]> | undefined;

  constructor(database: Database, log: number, accountId: string) {
    this.#accountId = accountId;
    this.#database = database;
    this.#log = log;
  }

  async pathIn({ buckets, epoch }: MapRow): Promise<MapPath["siblings"]> {
    this.#bucket ??= this.#listBucket();
    const heads = await headsOfEpoch(this.#database, await this.#bucket, this.#log, Number(epoch));
    return pathFromBuckets(readBuckets(buckets), this.#accountId, heads).siblings;
  }

  /** The accounts of the same bucket: one in 256. */
  async #listBucket(): Promise<readonly string[]> {
    const ids: string[] = [];
    const bucket = bucketOf(this.#accountId);
    for (let after = ""; ; after = ids.at(-1) ?? "") {
      const rows = await this.#database.run(listBucket, [bucket, after, PAGE]);
      ids.push(...rows.map(({ account_id: id }) => id));
      if (rows.length < PAGE) return ids;
    }
  }
}
