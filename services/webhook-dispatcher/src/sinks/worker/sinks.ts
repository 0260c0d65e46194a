// Gives each sink with work its turns. A round finds the sinks whose chains have grown, and starts their
// turns, a few at a time: accounts take turns, so a receiver that hangs costs its own account only. Any
// number of replicas may do it at once: a sink is claimed. While there are no sinks, the rounds rest until
// serve.ts announces one that this process has created or changed.

import { inPieces, type Logger, REST_MS, type RestingLoop, startResting } from "@annals/chassis";
import { CHECKPOINT_S, isBucket } from "../rules/sink-batches.ts";
import type { OperatorSinks } from "../rules/operator-sink.ts";
import type { SecretKeys } from "../../sealing/rules/secret-keys.ts";
import type { SinkTestResult } from "../rules/sink.ts";
import type { Metrics } from "../../metrics.ts";
import {
  claimSink,
  countPausedSinks,
  type ListedSink,
  listSinksAtWork,
} from "../store/sink-progress.ts";
import type { SinkStatusRow } from "../store/sink-row.ts";
import { beginSinkTest, endSinkTest } from "../store/sink-tests.ts";
import { claimedSink, typeOf } from "./claimed-sink.ts";
import { LEASE_S } from "./sink-cursor.ts";
import { SinkSlots, type SinkTurn } from "./sink-slots.ts";
import { SinkTestTurns, testRefusal } from "./sink-test-turns.ts";
import { SinkRun, type SinkRunDeps } from "./sink-run.ts";
import { sendTest } from "./test-sink.ts";

export interface SinksDeps extends SinkRunDeps {
  readonly keys: Pick<SecretKeys, "open">;
  readonly operatorSinks: OperatorSinks;
  readonly log: Logger;
  readonly metrics: SinkRunDeps["metrics"] &
    Pick<Metrics, "failures" | "sinkLag" | "sinkLagSeconds" | "sinks">;
}

const DELAY_MS = 2_000;
/** Sinks of one statement, and accounts of one question. */
const PIECE = 500;
/** Longer than a test takes, whatever its receiver does. */
const TEST_LEASE_S = 45;
/** The wait after a turn that failed inside: the ledger or the database did not answer. */
const RETRY_S = 5;

/** Cursors that do not move while events wait, and since when. */
type Behind = ReadonlyMap<string, { readonly cursor: string; readonly sinceMs: number }>;

type Key = Pick<ListedSink, "account_id" | "id">;
type Work = SinkTurn & { readonly id: string };

export class Sinks {
  readonly #deps: SinksDeps;
  readonly #slots = new SinkSlots();
  readonly #tests = new SinkTestTurns(this.#slots);
  readonly #stopping = new AbortController();
  readonly #turns = new Map<string, Promise<void>>();
  #behind: Behind = new Map();

  constructor(deps: SinksDeps) {
    this.#deps = deps;
  }

  start(): RestingLoop {
    const { log, metrics } = this.#deps;
    return startResting({
      name: "sinks",
      log,
      failures: metrics.failures,
      delayMs: DELAY_MS,
      initialDelayMs: DELAY_MS,
      run: (signal) => this.round(signal),
    });
  }

  /**
   * Starts the turns of the sinks that have work, and measures how far all are behind. Resolves to the delay
   * before the next round.
   */
  async round(signal: AbortSignal): Promise<number> {
    const { database, metrics, now, operatorSinks } = this.#deps;
    const measured = new Measured(this.#behind, this.#nowMs());
    let after: Key = { account_id: "", id: "" };
    this.#slots.beginRound();
    await inPieces(
      PIECE,
      async () => {
        const page = [now(), after.account_id, after.id, PIECE] as const;
        const rows = await database.run(listSinksAtWork, [...page]);
        after = rows.at(-1) ?? after;
        await this.#startOf(rows, measured);
        return rows.length;
      },
      signal,
    );
    const [paused] = await database.run(countPausedSinks, []);
    this.#behind = measured.behind;
    metrics.sinks.set({ state: "active" }, measured.active);
    metrics.sinks.set({ state: "failing" }, measured.failing);
    metrics.sinks.set({ state: "paused" }, paused?.count ?? 0);
    metrics.sinkLag.set(measured.lagEvents);
    metrics.sinkLagSeconds.set(measured.lagS);
    return after.id === "" && operatorSinks.size === 0 ? REST_MS : DELAY_MS;
  }

  /** Tests a sink at its owner's request, in a turn of its account, and alone in all dispatchers. */
  test(row: SinkStatusRow, signal: AbortSignal): Promise<SinkTestResult> {
    const of = { accountId: row.account_id, isBucket: isBucket(row.type), operator: null };
    return this.#tests.run(of, () => this.#testAlone(row, signal), signal);
  }

  /** Resolves when no turn is in progress. */
  async settled(): Promise<void> {
    while (this.#turns.size > 0) await Promise.allSettled(this.#turns.values());
  }

  /** Ends the turns: what is not acknowledged yet is sent again by the next claim. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.settled();
  }

  async #startOf(rows: readonly ListedSink[], measured: Measured): Promise<void> {
    if (rows.length === 0) return;
    const accountIds = [...new Set(rows.map((row) => row.account_id))];
    const positions = await this.#deps.producers.positions(accountIds, ["events"]);
    const heads = new Map(accountIds.map((id, at) => [id, positions[at]?.events ?? 0n]));
    for (const row of rows) {
      const type = typeOf(this.#deps.operatorSinks, row);
      // The operator has taken it out of the file, or a newer process has another file.
      if (type === undefined) continue;
      const head = heads.get(row.account_id) ?? 0n;
      measured.add(row, head);
      const toBucket = isBucket(type);
      const isCheckpointDue = !toBucket && row.checkpoint_age_s >= CHECKPOINT_S;
      if (row.is_due && (BigInt(row.cursor) < head || isCheckpointDue))
        this.#begin({
          accountId: row.account_id,
          id: row.id,
          isBucket: toBucket,
          operator: row.operator,
        });
    }
  }

  async #testAlone(row: SinkStatusRow, signal: AbortSignal): Promise<SinkTestResult> {
    const { account_id: accountId } = row;
    const database = this.#deps.database.forAccount(accountId);
    const [begun] = await database.run(beginSinkTest, [this.#deps.now(), accountId, TEST_LEASE_S]);
    if (!begun) throw testRefusal("a test");
    try {
      return await sendTest(this.#deps, row, signal);
    } finally {
      // Without it the next test waits for the end of the time.
      await database.run(endSinkTest, [accountId, begun.fence]).catch(() => {});
    }
  }

  #begin(work: Work): void {
    const key = `${work.accountId} ${work.id}`;
    if (this.#turns.has(key) || this.#stopping.signal.aborted) return;
    if (!this.#slots.mayWait(work)) return;
    const turn = this.#turnsOf(work).finally(() => this.#turns.delete(key));
    this.#turns.set(key, turn);
  }

  /** Never rejects. */
  async #turnsOf(work: Work): Promise<void> {
    const { signal } = this.#stopping;
    try {
      for (let hasMore = true; hasMore && !signal.aborted;) {
        hasMore = await this.#slots.run(work, () => this.#turn(work), signal);
      }
    } catch (err) {
      if (signal.aborted) return;
      const { log, metrics } = this.#deps;
      metrics.failures.inc({ worker: "sinks" });
      const of = { account_id: work.accountId, sink_id: work.id };
      log.warn({ err, ...of }, "the turn of a sink failed");
    }
  }

  async #turn({ accountId, id }: Work): Promise<boolean> {
    const database = this.#deps.database.forAccount(accountId);
    const [row] = await database.run(claimSink, [this.#deps.now(), accountId, id, LEASE_S]);
    if (!row) return false;
    const sink = claimedSink(this.#deps, row);
    const run = new SinkRun(this.#deps, sink, this.#stopping.signal);
    try {
      return await run.run();
    } catch (error) {
      await run.release(this.#stopping.signal.aborted ? 0 : RETRY_S);
      throw error;
    }
  }

  #nowMs(): number {
    return this.#deps.monotonicMs();
  }
}

/**
 * What a round finds. An account under load is always a little behind, so only a cursor that rests counts.
 */
class Measured {
  readonly behind = new Map<string, { readonly cursor: string; readonly sinceMs: number }>();
  active = 0;
  failing = 0;
  lagEvents = 0;
  lagS = 0;
  readonly #before: Behind;
  readonly #nowMs: number;

  constructor(before: Behind, nowMs: number) {
    this.#before = before;
    this.#nowMs = nowMs;
  }

  add({ account_id, cursor, failing_s, id, is_failing }: ListedSink, head: bigint): void {
    if (is_failing) this.failing += 1;
    else this.active += 1;
    const lag = Number(head - BigInt(cursor));
    if (lag <= 0) return;
    const key = `${account_id} ${id}`;
    const before = this.#before.get(key);
    const sinceMs = before?.cursor === cursor ? before.sinceMs : this.#nowMs;
    this.behind.set(key, { cursor, sinceMs });
    this.lagEvents = Math.max(this.lagEvents, lag);
    // A process that has just begun knows from the row how long a sink fails.
    this.lagS = Math.max(this.lagS, (this.#nowMs - sinceMs) / 1_000, failing_s);
  }
}
