// Closes the epochs of the head log, for as long as the process runs: it proposes the next entry, has keys
// sign it, and stores it. Any number of replicas may do it at the same time, and each can end what another
// began: a proposal is made once, keys signs one head of each size, and every step can be repeated. No
// append waits for it. It must never store an epoch that continues another log than the one that keys has
// signed.

import { type Logger, REST_MS } from "@annals/chassis";
import type { Clock } from "@annals/contract";
import { type Database, isDistributed, workOnEach } from "@annals/postgres";
import {
  EMPTY_ROOT,
  entryHash,
  entryText,
  frontierOf,
  type Head,
  type LogEntry,
  nextEntry,
  parseEntry,
  vkeyOf,
  splitHashes,
} from "@annals/tlog";
import type { GrownChains } from "../../append/grown-chains.ts";
import { AwaitedTrees } from "../awaited-trees.ts";
import { EpochMap } from "../epoch-map.ts";
import { HeadLog } from "../head-log.ts";
import { keysAfter, type LogKeys, verifierKeys } from "../log-keys.ts";
import {
  keepProposedHeads,
  NO_HEADS,
  type ProposedHeads,
  readProposedHeads,
} from "../proposed-heads.ts";
import { missingFrom } from "../missing-checkpoint.ts";
import type { LogPolicy } from "../log-policy.ts";
import { serveOnQuorum } from "../serve-on-quorum.ts";
import { SignedHeads } from "../signed-heads.ts";
import { createAccountHead, createAccountHeads } from "../store/account-heads.ts";
import { createEpoch, getNewestEpoch, getNewestMapEntry } from "../store/epochs.ts";
import { createLogTiles } from "../store/log-tiles.ts";
import {
  claimEpochs,
  closeEpoch,
  createLog,
  getLog,
  getProposal,
  type LogRow,
  type ProposalRow,
  propose,
} from "../store/logs.ts";
import { deleteProposedHeads } from "../store/proposed-heads.ts";
import { DELAY_MS, type EpochSilence } from "./epoch-silence.ts";
import { growTree } from "./grow-tree.ts";

const MIN_DELAY_MS = 100;
/** The trees begin to grow this long before an epoch is due. */
const TREES_LEAD_S = 5;
const S_PER_HOUR = 3_600;
/** A process that closes epochs keeps them for the interval and these. */
const CLAIM_S = 5;
const FIRST_LOG = 1;

export interface EpochCloserDeps {
  readonly clock: Clock;
  readonly database: Database;
  readonly grown: Pick<GrownChains, "makeReady">;
  readonly intervalS: number;
  readonly keys: LogKeys;
  readonly log: Logger;
  readonly metrics: {
    /** Seconds since the newest epoch. */
    readonly age: (seconds: number) => void;
    readonly duration: (seconds: number) => void;
    /** History went back: keys has signed a head that the log does not have. */
    readonly rolledBack: () => void;
  };
  /** The name of the head log; by default that of the key. */
  readonly origin: string | undefined;
  readonly policy: LogPolicy;
  readonly silence: EpochSilence;
  /** Names this process. */
  readonly closer: string;
}

interface Proposal extends ProposedHeads {
  readonly entry: LogEntry;
  readonly text: string;
  readonly buckets: Buffer | null;
}

export class EpochCloser {
  readonly #deps: EpochCloserDeps;
  readonly #awaited: AwaitedTrees;
  readonly #map: EpochMap;
  readonly #signed: SignedHeads;

  constructor(deps: EpochCloserDeps) {
    this.#deps = deps;
    this.#awaited = new AwaitedTrees(deps.database);
    this.#map = new EpochMap(deps.database);
    this.#signed = new SignedHeads(deps);
  }

  /** Closes one epoch if it is due, for a loop. Resolves to the delay before the next look. */
  async run(): Promise<number> {
    const { clock, database, grown, intervalS, keys, metrics, silence } = this.#deps;
    // Its time would be in the log permanently.
    if (clock.fault?.() !== undefined) return DELAY_MS;
    const startedAt = performance.now();
    const begun = clock.nowMicros();
    const log = await this.#openLog();
    if (log === undefined) return DELAY_MS;
    const age = await this.#age(log, begun);
    if (age !== undefined) metrics.age(age);
    const untilDue = age === undefined ? 0 : intervalS - age;
    const untilNear = untilDue - Math.min(TREES_LEAD_S, intervalS / 2);
    if (untilNear <= 0) grown.makeReady();
    const stored = await database.run(getProposal, [log.log]);
    if (stored.length === 0 && untilDue > 0)
      return delayOf(untilNear > 0 ? untilNear : untilDue, REST_MS);
    const claimed = await database.run(claimEpochs, [
      log.log,
      this.#deps.closer,
      intervalS + CLAIM_S,
    ]);
    if (claimed.length === 0) return delayOf(intervalS);
    const missing = await missingFrom(database, log);
    if (missing !== undefined) {
      this.#signed.rolledBack(log, { size: missing.size });
      return DELAY_MS;
    }
    const { publicKeys } = await keys.getSignedHead({ origin: log.origin });
    const proposal = stored[0] ? proposalOf(stored[0]) : await this.#propose(log, age, publicKeys);
    if (proposal === undefined) return delayOf(intervalS, silence.lasts());
    silence.end();
    const isClosed = await this.#close(log, proposal, publicKeys);
    if (!isClosed) return DELAY_MS;
    metrics.age(0);
    metrics.duration((performance.now() - startedAt) / 1_000);
    return delayOf(intervalS);
  }

  /** The newest log; the first one begins here. Undefined without a log key. */
  async #openLog(): Promise<LogRow | undefined> {
    const { database, keys, origin, policy } = this.#deps;
    const [log] = await database.run(getLog, []);
    if (log !== undefined) return log;
    const signed = await keys.getSignedHead({ origin: origin ?? "" });
    if (signed.publicKeys.length === 0) return undefined;
    policy.expectLog(signed.origin, signed.publicKeys);
    const publicKeys = Buffer.concat(signed.publicKeys);
    await database.run(createLog, [FIRST_LOG, signed.origin, EMPTY_ROOT, publicKeys]);
    return (await database.run(getLog, []))[0];
  }

  /**
   * Seconds since the newest epoch; undefined before the first. It is served here if another policy is in use
   * since its cosignatures came.
   */
  async #age(log: LogRow, nowMicros: number): Promise<number | undefined> {
    const { database, policy } = this.#deps;
    const [newest] = await database.run(getNewestEpoch, [log.log]);
    if (newest?.is_served === false) await serveOnQuorum(database, policy, log.log, newest);
    return newest && Math.max(0, nowMicros / 1e6 - Date.parse(newest.time) / 1e3);
  }

  /** Undefined if nothing is to be said yet, or if another process was first. */
  async #propose(
    log: LogRow,
    age: number | undefined,
    publicKeys: readonly Uint8Array[],
  ): Promise<Proposal | undefined> {
    const { clock, database } = this.#deps;
    if (age === undefined && !(await this.#awaited.areComplete())) return undefined;
    const [epoch, time] = [Number(log.size) + 1, clock.nowText()];
    const named = splitHashes(log.keys);
    const joining = publicKeys.findLast((key) => !named.some((each) => each.equals(key)));
    let proposal: Proposal;
    if (joining !== undefined) {
      const key = verifierKeys(log.origin, [joining]).map(vkeyOf).join("");
      proposal = proposalFor({ epoch, time, kind: "key", key }, null, NO_HEADS);
    } else {
      await this.#loadMap(log);
      const { buckets, changed, root } = await this.#map.next();
      if (changed.length === 0 && age !== undefined && age < S_PER_HOUR) {
        this.#map.settle(log.log, epoch - 1);
        return undefined;
      }
      const kept = await keepProposedHeads(database, log.log, log.size, changed);
      proposal = proposalFor({ epoch, time, kind: "heads", heads: root }, buckets, kept);
    }
    const { heads, parts, text } = proposal;
    const params = [log.log, log.size, text, proposal.buckets, heads, parts] as const;
    return (await database.run(propose, [...params])).length > 0 ? proposal : undefined;
  }

  /** Throws if the stored heads are not those of the last entry. */
  async #loadMap({ log, size }: LogRow): Promise<void> {
    const root = await this.#map.load(log, Number(size));
    const [last] = await this.#deps.database.run(getNewestMapEntry, [log, size]);
    const entry = last && parseEntry(last.entry);
    if (entry?.kind === "heads" && !entry.heads.equals(root)) {
      this.#map.forget();
      throw new Error(`the heads of accounts are not those of epoch ${entry.epoch}`);
    }
  }

  /** Signs and stores what is proposed. Resolves to whether keys signs it, and no other process was first. */
  async #close(
    log: LogRow,
    { buckets, entry, text, ...proposed }: Proposal,
    publicKeys: readonly Uint8Array[],
  ): Promise<boolean> {
    const { database, policy } = this.#deps;
    const size = Number(log.size);
    const before = frontierOf(size, splitHashes(log.frontier));
    const leaf = entryHash(Buffer.from(text));
    const next = nextEntry(before, leaf);
    const head = { origin: log.origin, size: size + 1, root: next.root };
    const checkpoint = await this.#signed.sign(log, { ...head, text, next }, publicKeys);
    if (checkpoint === undefined) return false;
    if (!(await this.#storeProposed(log, entry.epoch, proposed))) return false;
    const headLog = new HeadLog(database, log.log);
    const grown = await growTree(before, [leaf], (level, tile, width) =>
      headLog.readPartial(level, tile, width),
    );
    if (grown.tiles.length > 0)
      await database.run(createLogTiles, [
        log.log,
        grown.tiles.map(({ level }) => level),
        grown.tiles.map(({ index }) => String(index)),
        grown.tiles.map(({ root }) => root),
        grown.tiles.map(({ hashes }) => hashes),
      ]);
    const { epoch, time } = entry;
    await database.run(createEpoch, [
      log.log,
      String(epoch),
      text,
      time,
      checkpoint,
      buckets,
      policy.isServedAtOnce,
    ]);
    await database.run(closeEpoch, [
      log.log,
      log.size,
      text,
      next.root,
      Buffer.concat(next.tree.hashes),
      keysAfter(log, entry, checkpoint),
    ]);
    await database.run(deleteProposedHeads, [log.log, String(head.size)]);
    // A proposal of another process, or of an earlier run, is not in memory.
    this.#map.settleIf(log.log, epoch, entry.kind === "heads" ? entry.heads : undefined);
    return true;
  }

  /** Resolves to false if another process has closed the epoch meanwhile. Throws if the heads are lost. */
  async #storeProposed(log: LogRow, epoch: number, proposed: ProposedHeads): Promise<boolean> {
    const { database } = this.#deps;
    for await (const heads of readProposedHeads(database, log.log, log.size, proposed)) {
      if (heads === undefined) {
        const [now] = await database.run(getLog, []);
        if (now?.log !== log.log || now.size !== log.size) return false;
        throw new Error(`the heads that are proposed for epoch ${epoch} are gone`);
      }
      await this.#storeHeads(log.log, epoch, heads);
    }
    return true;
  }

  async #storeHeads(log: number, epoch: number, heads: readonly Head[]): Promise<void> {
    const { database } = this.#deps;
    if (await isDistributed(database)) {
      await workOnEach(heads, ({ chain, root, size }) =>
        database.run(createAccountHead, [chain, log, String(epoch), String(size), root]),
      );
      return;
    }
    await database.run(createAccountHeads, [
      heads.map(({ chain }) => chain),
      log,
      String(epoch),
      heads.map(({ size }) => String(size)),
      heads.map(({ root }) => root),
    ]);
  }
}

function proposalFor(entry: LogEntry, buckets: Buffer | null, heads: ProposedHeads): Proposal {
  return { entry, text: entryText(entry), buckets, ...heads };
}

function proposalOf({ buckets, entry, heads, parts }: ProposalRow): Proposal {
  return { entry: parseEntry(entry), text: entry, buckets, heads, parts };
}

function delayOf(seconds: number, mostMs = DELAY_MS): number {
  return Math.min(mostMs, Math.max(MIN_DELAY_MS, seconds * 1_000));
}
