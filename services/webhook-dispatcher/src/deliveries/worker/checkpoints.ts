// Finds the accounts whose log has grown in an epoch that is served now, and hands those that subscribe to
// checkpoints to the fan-out. There are no notices of epochs, and no outbox: an entry for each account and
// epoch would be too many. Started by serve.ts. Any number of replicas may do it at the same time, because
// the fan-out moves the cursor of an account in the transaction that stores its deliveries.
//
// Accounts are compared only when another epoch is served than the last time, until none of them is behind.
// So one that is silent costs a look-up or two for each epoch, and a deployment without a log costs one call
// in each run. While nobody subscribes, the worker rests.

import {
  AccountWork,
  inPieces,
  type Logger,
  REST_MS,
  type RestingLoop,
  startResting,
} from "@annals/chassis";
import type { Database } from "@annals/postgres";
import { patternsOf } from "../../webhooks/rules/kinds.ts";
import type { Metrics } from "../../metrics.ts";
import type { Producers } from "../../outbound/producers.ts";
import {
  type CheckpointSubscriberRow,
  listCheckpointSubscribers,
} from "../store/list-checkpoint-subscribers.ts";
import type { FanOut } from "./fan-out.ts";

export interface CheckpointsDeps {
  readonly database: Database;
  readonly fanOut: Pick<FanOut, "notify">;
  readonly intervalMs: number;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, "failures">;
  readonly producers: Pick<Producers, "checkpoints">;
}

/** Maximum accounts of one call to the ledger. */
const ACCOUNTS_PER_CALL = 1_000;
const CALL_TIMEOUT_MS = 3_000;

export class Checkpoints {
  readonly #deps: CheckpointsDeps;
  readonly #work: AccountWork;
  /** Position of the newest epoch of which no account is behind; 0 if that is not known. */
  #settled = 0n;
  /** Counts the new ones. */
  #subscribers = 0;
  #hasSubscribers = false;
  #loop: RestingLoop | undefined;

  constructor(deps: CheckpointsDeps) {
    this.#deps = deps;
    this.#work = new AccountWork(deps.log, "checkpoints");
  }

  start(): RestingLoop {
    const { intervalMs, log, metrics } = this.#deps;
    this.#loop ??= startResting({
      name: "checkpoints",
      log,
      failures: metrics.failures,
      initialDelayMs: intervalMs,
      delayMs: intervalMs,
      run: (signal) => this.run(signal),
    });
    return this.#loop;
  }

  /** Called when an account has a new subscriber: it may be behind in an epoch that was compared before. */
  expectSubscriber(): void {
    this.#subscribers += 1;
    this.#settled = 0n;
    this.#hasSubscribers = true;
    this.#loop?.expectWork();
  }

  /** Makes one run, for a loop. Resolves to the delay before the next. */
  async run(signal: AbortSignal): Promise<number> {
    const { intervalMs } = this.#deps;
    const { served } = await this.#ask([], signal);
    if (served !== this.#settled) await this.#compare(served, signal);
    return this.#hasSubscribers ? intervalMs : Math.max(intervalMs, REST_MS);
  }

  async #compare(served: bigint, signal: AbortSignal): Promise<void> {
    const subscribers = this.#subscribers;
    const run = this.#work.begin(signal);
    let [after, isSettled, hasSubscribers] = ["", true, false];
    const comparePiece = async (): Promise<number> => {
      const accounts = await run.list(after, () =>
        this.#deps.database.run(listCheckpointSubscribers, [
          after,
          ACCOUNTS_PER_CALL,
          patternsOf("checkpoints"),
        ]),
      );
      if (!(await this.#areSettled(accounts, signal))) isSettled = false;
      hasSubscribers ||= accounts.length > 0;
      after = accounts.at(-1)?.account_id ?? "";
      return accounts.length;
    };
    await inPieces(ACCOUNTS_PER_CALL, comparePiece, signal);
    run.end();
    if (signal.aborted || subscribers !== this.#subscribers) return;
    this.#hasSubscribers = hasSubscribers;
    if (isSettled) this.#settled = served;
  }

  /** Hands those that are behind to the fan-out. Resolves to whether none is. */
  async #areSettled(
    accounts: readonly CheckpointSubscriberRow[],
    signal: AbortSignal,
  ): Promise<boolean> {
    if (accounts.length === 0) return true;
    const ids = accounts.map((row) => row.account_id);
    const { isPartial, positions } = await this.#ask(ids, signal);
    let isSettled = !isPartial;
    for (const [index, { account_id: accountId, position: cursor }] of accounts.entries()) {
      const position = positions[index] ?? 0n;
      if (position <= BigInt(cursor)) continue;
      isSettled = false;
      this.#deps.fanOut.notify({ kind: "checkpoints", accountId, position });
    }
    return isSettled;
  }

  #ask(accountIds: readonly string[], signal: AbortSignal) {
    return this.#deps.producers.checkpoints(accountIds, { signal, timeoutMs: CALL_TIMEOUT_MS });
  }
}
