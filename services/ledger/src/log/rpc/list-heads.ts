// ListHeads: an account's heads in the epochs after one, each with what proves it: the path in the epoch's
// map, the epoch in the head log, and that the head is a prefix of the newest one. For a bundle of evidence
// it lists fewer epochs, and the heads lead to that of the bundle, whatever epochs came since.

import { complete, invalid } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import { admissionOf } from "@annals/rpc";
import { headRecord } from "@annals/tlog";
import type { ServiceImpl } from "@connectrpc/connect";
import { AccountPaths } from "../account-path.ts";
import { bundleMaps, type MapPage } from "../bundle-maps.ts";
import { type CoveredHead, coveredHeadOf } from "../covered-head.ts";
import { CoveredTree } from "../covered-tree.ts";
import { HeadLog } from "../head-log.ts";
import type { SearchTurns } from "../../search/search-turns.ts";
import { type EpochRow, getServingEpochs, listMaps, type MapRow } from "../store/epochs.ts";
import {
  getHeadsInEpochs,
  getNextAccountHead,
  type HeadInEpochRow,
} from "../store/get-account-head.ts";
import { type EpochAnchorRow, listAnchorsOfEpochs } from "../store/list-anchors.ts";

const MAX_HEADS = 50;
/** After which a page ends with the heads that it has: a busy ledger answers within its deadline, 10 s. */
export const HEADS_PAGE_MS = 3_000;

interface Deps {
  readonly searches: SearchTurns;
  /** Milliseconds of a clock that never goes back; by default that of the process. */
  readonly elapsedMs?: (() => number) | undefined;
}

export function listHeads({
  elapsedMs = () => performance.now(),
  searches,
}: Deps): ServiceImpl<typeof LedgerService>["listHeads"] {
  return async ({ accountId, afterEpoch, limit, size }, context) => {
    complete({ account_id: accountId });
    const begun = elapsedMs();
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
    await lines.load(maps.slice(0, limit));
    const heads = [];
    let read = 0;
    for (const map of maps.slice(0, limit)) {
      // A client goes on after the last head of a page, so a page has one.
      if (heads.length > 0 && elapsedMs() - begun >= HEADS_PAGE_MS) break;
      const line = await lines.of(map);
      if (line !== undefined) heads.push(line);
      read += 1;
    }
    return { heads, hasMore: maps.length > read };
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

/** What the maps of a page have in common, and what is read of all of them at once. */
class HeadLines {
  readonly #accountId: string;
  readonly #covered: CoveredHead;
  readonly #database: Database;
  readonly #headLog: HeadLog;
  readonly #paths: AccountPaths;
  readonly #tree: CoveredTree;
  #heads = new Map<string, HeadInEpochRow>();
  #serving = new Map<string, EpochRow>();
  #anchors: readonly EpochAnchorRow[] = [];

  constructor(database: Database, accountId: string, covered: CoveredHead) {
    this.#accountId = accountId;
    this.#covered = covered;
    this.#database = database;
    this.#headLog = new HeadLog(database, covered.log, covered.servedEpoch);
    this.#paths = new AccountPaths(database, covered.log, accountId);
    this.#tree = new CoveredTree(database, accountId, covered);
  }

  async load(maps: readonly MapRow[]): Promise<void> {
    const { log } = this.#covered;
    const epochs = maps.map(({ epoch }) => epoch);
    const heads = await this.#database.run(getHeadsInEpochs, [this.#accountId, log, epochs]);
    this.#heads = new Map(heads.map((head) => [head.epoch, head]));
    const serving = await this.#database.run(getServingEpochs, [log, epochs]);
    this.#serving = new Map(serving.map((row) => [row.asked, row]));
    const anchored = [...new Set(serving.map(({ epoch }) => epoch))];
    const anchors = [log, anchored, ["timestamp", "witness"]] as const;
    this.#anchors = await this.#database.run(listAnchorsOfEpochs, [...anchors]);
  }

  /** Undefined if the account has no head in the epoch, or if the epoch is not served. */
  async of(map: MapRow) {
    const [head, serving] = [this.#heads.get(map.epoch), this.#serving.get(map.epoch)];
    if (head === undefined || serving === undefined) return undefined;
    const [epoch, size] = [Number(map.epoch), Number(head.size)];
    const [stamp] = this.#anchorsOf(serving, "timestamp");
    const witnesses = this.#anchorsOf(serving, "witness").map((bytes) => bytes.toString("utf8"));
    return {
      epoch: BigInt(epoch),
      entry: map.entry,
      head: headRecord({ chain: this.#accountId, root: head.root, size }),
      path: [...(await this.#paths.pathIn(map))],
      checkpoint: [serving.checkpoint, ...witnesses].join(""),
      inclusion: await this.#headLog.proveInclusion(epoch - 1, Number(serving.epoch)),
      consistency: (await this.#tree.proveConsistency(size, this.#covered.size)).hashes,
      ...(stamp && {
        timeStamp: { size: BigInt(serving.epoch), checkpoint: serving.checkpoint, token: stamp },
      }),
    };
  }

  #anchorsOf({ epoch }: EpochRow, kind: string): Buffer[] {
    const of = this.#anchors.filter((each) => each.epoch === epoch && each.kind === kind);
    return of.map(({ bytes }) => bytes);
  }
}
