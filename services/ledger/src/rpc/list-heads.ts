// ListHeads: an account's heads in the epochs after one, each with what proves it: the path in the epoch's
// map, the epoch in the head log, and that the head is a prefix of the newest one.

import { complete, invalid } from "@annals/errors";
import type { Database, Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import { headRecord } from "@annals/tlog";
import type { ServiceImpl } from "@connectrpc/connect";
import { AccountPaths } from "../evidence/account-path.ts";
import { AccountTiles } from "../evidence/account-tiles.ts";
import { cosigned } from "../evidence/cosigned.ts";
import { type CoveredHead, coveredHead } from "../evidence/covered-head.ts";
import { HeadLog } from "../evidence/head-log.ts";
import { getServingEpoch, listMaps, type MapRow } from "../store/epochs.ts";
import { getAccountHead } from "../store/get-account-head.ts";

const MAX_HEADS = 50;

interface Deps {
  readonly database: Pool;
}

export function listHeads({ database }: Deps): ServiceImpl<typeof LedgerService>["listHeads"] {
  return async ({ accountId, afterEpoch, limit }, { signal }) => {
    complete({ account_id: accountId });
    if (limit < 1 || limit > MAX_HEADS)
      throw invalid({ field: "limit", message: `Must be from 1 to ${MAX_HEADS}.` });
    const own = database.forAccount(accountId, signal);
    const covered = await coveredHead(own, accountId);
    if (covered === undefined) return { heads: [], hasMore: false };
    const { log, servedEpoch } = covered;
    const range = [String(afterEpoch), String(servedEpoch)] as const;
    const maps = await own.run(listMaps, [log, ...range, limit + 1]);
    const lines = new HeadLines(own, accountId, covered);
    const heads = [];
    for (const map of maps.slice(0, limit)) {
      const line = await lines.of(map);
      if (line !== undefined) heads.push(line);
    }
    return { heads, hasMore: maps.length > limit };
  };
}

class HeadLines {
  readonly #accountId: string;
  readonly #covered: CoveredHead;
  readonly #database: Database;
  readonly #headLog: HeadLog;
  readonly #paths: AccountPaths;
  readonly #tiles: AccountTiles;

  constructor(database: Database, accountId: string, covered: CoveredHead) {
    this.#accountId = accountId;
    this.#covered = covered;
    this.#database = database;
    this.#headLog = new HeadLog(database, covered.log);
    this.#paths = new AccountPaths(database, covered.log, accountId);
    this.#tiles = new AccountTiles(database, accountId);
  }

  /** Undefined where the account has no head in the epoch, or where the epoch is not served. */
  async of(map: MapRow) {
    const { log } = this.#covered;
    const [head] = await this.#database.run(getAccountHead, [this.#accountId, log, map.epoch]);
    const [serving] = await this.#database.run(getServingEpoch, [log, map.epoch]);
    if (head === undefined || serving === undefined) return undefined;
    const [epoch, size] = [Number(map.epoch), Number(head.size)];
    return {
      epoch: BigInt(epoch),
      entry: map.entry,
      head: headRecord({ chain: this.#accountId, root: head.root, size }),
      path: [...(await this.#paths.pathIn(map))],
      checkpoint: (await cosigned(this.#database, log, serving)).checkpoint,
      inclusion: await this.#headLog.proveInclusion(epoch - 1, Number(serving.epoch)),
      consistency: await this.#tiles.proveConsistency(size, this.#covered.size),
    };
  }
}
