// ListHeads: an account's heads in the epochs after one, each with what proves it: the path in the epoch's
// map, the epoch in the head log, and that the head is a prefix of the newest one. For a bundle of evidence
// it lists fewer epochs, and the heads lead to that of the bundle, whatever epochs came since.

import { complete, invalid } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import { admissionOf } from "@annals/rpc";
import { headRecord } from "@annals/tlog";
import type { ServiceImpl } from "@connectrpc/connect";
import { AccountPaths } from "../evidence/account-path.ts";
import { cosigned } from "../evidence/cosigned.ts";
import { bundleMaps, type MapPage } from "../evidence/bundle-maps.ts";
import { type CoveredHead, coveredHeadOf } from "../evidence/covered-head.ts";
import { CoveredTree } from "../evidence/covered-tree.ts";
import { HeadLog } from "../evidence/head-log.ts";
import type { SearchTurns } from "../search/search-turns.ts";
import { getServingEpoch, listMaps, type MapRow } from "../store/epochs.ts";
import { getAccountHead, getNextAccountHead } from "../store/get-account-head.ts";
import { listAnchors } from "../store/list-anchors.ts";

const MAX_HEADS = 50;

interface Deps {
  readonly searches: SearchTurns;
}

export function listHeads({ searches }: Deps): ServiceImpl<typeof LedgerService>["listHeads"] {
  return async ({ accountId, afterEpoch, limit, size }, context) => {
    complete({ account_id: accountId });
    if (limit < 1 || limit > MAX_HEADS)
      throw invalid({ field: "limit", message: `Must be from 1 to ${MAX_HEADS}.` });
    // Other services have no admission.
    const kind = admissionOf(context) ? "client" : "service";
    const own = searches.of(accountId, kind, context.signal);
    const covered = await coveredHeadOf(own, accountId, size);
    const page = { accountId, after: Number(afterEpoch), count: limit + 1 };
    const maps =
      size === 0n ? await allMaps(own, covered, page) : await bundleMaps(own, covered, page);
    const lines = new HeadLines(own, accountId, covered);
    const heads = [];
    for (const map of maps.slice(0, limit)) {
      const line = await lines.of(map);
      if (line !== undefined) heads.push(line);
    }
    return { heads, hasMore: maps.length > limit };
  };
}

async function allMaps(
  database: Database,
  { log, servedEpoch }: CoveredHead,
  { accountId, after, count }: MapPage,
): Promise<readonly MapRow[]> {
  // No earlier epoch has the account: a page of such epochs would be empty, and not the last one.
  const [first] = await database.run(getNextAccountHead, [accountId, log, "0"]);
  const from = Math.max(after, Number(first?.epoch ?? 1) - 1);
  return database.run(listMaps, [log, String(from), String(servedEpoch), count]);
}

class HeadLines {
  readonly #accountId: string;
  readonly #covered: CoveredHead;
  readonly #database: Database;
  readonly #headLog: HeadLog;
  readonly #paths: AccountPaths;
  readonly #tree: CoveredTree;

  constructor(database: Database, accountId: string, covered: CoveredHead) {
    this.#accountId = accountId;
    this.#covered = covered;
    this.#database = database;
    this.#headLog = new HeadLog(database, covered.log);
    this.#paths = new AccountPaths(database, covered.log, accountId);
    this.#tree = new CoveredTree(database, accountId, covered);
  }

  /** Undefined if the account has no head in the epoch, or if the epoch is not served. */
  async of(map: MapRow) {
    const { log } = this.#covered;
    const [head] = await this.#database.run(getAccountHead, [this.#accountId, log, map.epoch]);
    const [serving] = await this.#database.run(getServingEpoch, [log, map.epoch]);
    if (head === undefined || serving === undefined) return undefined;
    const [epoch, size] = [Number(map.epoch), Number(head.size)];
    const [stamp] = await this.#database.run(listAnchors, [log, serving.epoch, "timestamp"]);
    return {
      epoch: BigInt(epoch),
      entry: map.entry,
      head: headRecord({ chain: this.#accountId, root: head.root, size }),
      path: [...(await this.#paths.pathIn(map))],
      checkpoint: (await cosigned(this.#database, log, serving)).checkpoint,
      inclusion: await this.#headLog.proveInclusion(epoch - 1, Number(serving.epoch)),
      consistency: (await this.#tree.proveConsistency(size, this.#covered.size)).hashes,
      ...(stamp && {
        timeStamp: {
          size: BigInt(serving.epoch),
          checkpoint: serving.checkpoint,
          token: stamp.bytes,
        },
      }),
    };
  }
}
