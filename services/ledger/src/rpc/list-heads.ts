// ListHeads: an account's heads in the epochs after one, each with what proves it: the path in the epoch's
// map, the epoch in the head log, and that the head is a prefix of the newest one.

import { complete, invalid } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import { admissionOf } from "@annals/rpc";
import { headRecord, proveConsistency, rootFromNodes, verifyConsistency } from "@annals/tlog";
import type { ServiceImpl } from "@connectrpc/connect";
import { AccountPaths } from "../evidence/account-path.ts";
import { cosigned } from "../evidence/cosigned.ts";
import { type CoveredHead, coveredHead, notCovered } from "../evidence/covered-head.ts";
import { CoveredTree } from "../evidence/covered-tree.ts";
import { HeadLog } from "../evidence/head-log.ts";
import type { SearchTurns } from "../search/search-turns.ts";
import { getServingEpoch, listMaps, type MapRow } from "../store/epochs.ts";
import { getAccountHead, getFirstAccountHead } from "../store/get-account-head.ts";

const MAX_HEADS = 50;

interface Deps {
  readonly searches: SearchTurns;
}

export function listHeads({ searches }: Deps): ServiceImpl<typeof LedgerService>["listHeads"] {
  return async ({ accountId, afterEpoch, limit }, context) => {
    complete({ account_id: accountId });
    if (limit < 1 || limit > MAX_HEADS)
      throw invalid({ field: "limit", message: `Must be from 1 to ${MAX_HEADS}.` });
    // Other services have no admission.
    const kind = admissionOf(context) ? "client" : "service";
    const own = searches.of(accountId, kind, context.signal);
    const covered = await coveredHead(own, accountId);
    if (covered === undefined) throw notCovered();
    const { log, servedEpoch } = covered;
    // No earlier epoch has the account: a page of such epochs would be empty, and not the last one.
    const [first] = await own.run(getFirstAccountHead, [accountId, log]);
    const after = Math.max(Number(afterEpoch), Number(first?.epoch ?? 1) - 1);
    const range = [String(after), String(servedEpoch)] as const;
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
  readonly #tree: CoveredTree;

  constructor(database: Database, accountId: string, covered: CoveredHead) {
    this.#accountId = accountId;
    this.#covered = covered;
    this.#database = database;
    this.#headLog = new HeadLog(database, covered.log);
    this.#paths = new AccountPaths(database, covered.log, accountId);
    this.#tree = new CoveredTree(database, accountId, covered);
  }

  async #proveConsistency(size: number): Promise<Buffer[]> {
    const to = this.#covered.size;
    const { hashes } = await this.#tree.prove(
      to,
      (readNode) => ({
        fromRoot: rootFromNodes(size, readNode),
        root: rootFromNodes(to, readNode),
        hashes: proveConsistency(size, to, readNode),
      }),
      ({ fromRoot, hashes: made, root }) =>
        verifyConsistency({ size, root: fromRoot }, { size: to, root }, made),
    );
    return hashes;
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
      consistency: await this.#proveConsistency(size),
    };
  }
}
