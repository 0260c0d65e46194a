// Verifies every chain once per interval, from where the last verification ended, at times of low load, and
// then compares what was added to its filter index since with the events. Any number of replicas may do it at
// the same time: a lease gives each chain to one of them. It must never take more than a share of PostgreSQL,
// and never record what was not recomputed.

import { AccountWork, type Logger } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import { AnnalsError } from "@annals/errors";
import { CHUNK_SIZE } from "../../search/rules/chunk.ts";
import type { FirstInvalid } from "../rules/chain-verifier.ts";
import type { Metrics } from "../../metrics.ts";
import { type ClaimedRow, claimVerification } from "../store/claim-verification.ts";
import { findVerificationWork, type VerificationWorkRow } from "../store/find-verification-work.ts";
import { getHash } from "../../store/get-hash.ts";
import { recordVerification } from "../store/record-verification.ts";
import type { BlockChecker } from "../block-checker.ts";
import type { Range } from "../blocks.ts";
import { retainedOf } from "../retained.ts";
import { verifyChain } from "../verify-chain.ts";
import { indexEnds, verifyIndex } from "../verify-index.ts";
import { LoadPeak } from "../../append/load-peak.ts";

export interface ScheduledVerificationDeps {
  readonly blocks: BlockChecker;
  readonly database: Database;
  readonly log: Logger;
  readonly metrics: Pick<
    Metrics,
    "erasuresUnrecorded" | "oldestVerification" | "unverified" | "verifications" | "verifyInterval"
  >;
  readonly intervalHours: number;
  readonly nowMs: () => number;
}

/** Time from the end of a pass over all chains to the beginning of the next. */
export const PASS_DELAY_MS = 30_000;
const ACCOUNTS = 1_000;
/**
 * Maximum chunks of a claim, of the chain and of the index: a few minutes each with the largest events. Six
 * sealed segments.
 */
const MAX_CHUNKS = 96;
const MAX_EVENTS = MAX_CHUNKS * CHUNK_SIZE;
/** Seconds of a lease: longer than a claim takes. */
const LEASE_S = 900;
const S_PER_HOUR = 3_600;

export class ScheduledVerification {
  readonly #deps: ScheduledVerificationDeps;
  readonly #peak: LoadPeak;
  readonly #work: AccountWork;

  constructor(deps: ScheduledVerificationDeps) {
    this.#deps = deps;
    this.#peak = new LoadPeak(deps.nowMs);
    this.#work = new AccountWork(deps.log, "verification");
    deps.metrics.verifyInterval.set(deps.intervalHours * S_PER_HOUR);
  }

  /**
   * Makes one pass over all chains, for a loop. A chain that cannot be verified does not delay the others.
   */
  async run(signal: AbortSignal): Promise<number> {
    const { database, metrics } = this.#deps;
    const intervalS = this.#deps.intervalHours * S_PER_HOUR;
    const run = this.#work.begin(signal);
    const seen = { events: 0, oldestS: 0, unverified: 0 };
    const verifyIfDue = async (account: VerificationWorkRow): Promise<void> => {
      const { age_s: ageS, head, overdue_s: overdueS } = account;
      let age = ageS;
      try {
        // After another interval the chain is verified whatever the load. An old list knows of no chain that
        // has become due since: its claim shows it.
        const isDue = run.hasOldList || overdueS >= 0;
        if (isDue && (this.#peak.isLoadLow || overdueS >= intervalS)) {
          if (await this.#verify(account, signal)) age = 0;
        }
      } finally {
        seen.events += Number(head);
        seen.unverified += age === null ? 1 : 0;
        seen.oldestS = Math.max(seen.oldestS, age ?? 0);
      }
    };
    let accounts: readonly VerificationWorkRow[] = [];
    do {
      const after = accounts.at(-1)?.account_id ?? "";
      accounts = await run.list(after, () => database.run(findVerificationWork, [after, ACCOUNTS]));
      await run.each(accounts, verifyIfDue);
      if (signal.aborted) return 0;
    } while (accounts.length === ACCOUNTS);
    if (!run.hasOldList) this.#peak.sample(seen.events);
    metrics.oldestVerification.set(seen.oldestS);
    metrics.unverified.set(seen.unverified);
    run.end();
    return PASS_DELAY_MS;
  }

  /** Resolves to whether the chain is valid up to its head. */
  async #verify(
    { account_id: accountId, head }: VerificationWorkRow,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { database, log, metrics } = this.#deps;
    const [claimed] = await database.run(claimVerification, [accountId, LEASE_S]);
    if (!claimed) return false;
    // The last valid event is verified again: its hash has to be the recorded one.
    const last = Number(claimed.sequence_number);
    const { from: first } = await retainedOf(database, accountId);
    const from = Math.max(Math.min(last, Number(head)), first);
    const to = Math.min(Number(head), from + MAX_EVENTS);
    // Without a head there is no range to verify, and the chain is not valid.
    const asked = to === 0 ? undefined : { from, to };
    const verified = await this.#verifyEvents(accountId, asked, signal);
    const index = await this.#compareIndex(accountId, { kept: Number(claimed.chunks), to }, signal);
    const firstInvalid = verified ?? index.firstInvalid;
    const changed = last > 0 && (await this.#hash(accountId, last)) !== claimed.hash;
    if (firstInvalid || changed) {
      metrics.verifications.inc({ result: "invalid" });
      if (firstInvalid?.reason === "erasure_unrecorded") metrics.erasuresUnrecorded.inc();
      const rewrittenAt = changed ? last : undefined;
      log.error(
        { account_id: accountId, first_invalid: firstInvalid, rewritten_at: rewrittenAt },
        "a chain is not valid",
      );
      await this.#record(accountId, { ...claimed, isComplete: false });
      return false;
    }
    metrics.verifications.inc({ result: "valid" });
    const isComplete = to === Number(head) && index.isComplete;
    const hash = await this.#hash(accountId, to);
    const { chunks } = index;
    await this.#record(
      accountId,
      { sequence_number: String(to), hash, chunks, isComplete },
      !isComplete,
    );
    return isComplete;
  }

  async #verifyEvents(
    accountId: string,
    range: Range | undefined,
    signal: AbortSignal,
  ): Promise<FirstInvalid | undefined> {
    const asked = {
      accountId,
      fromSequence: range && BigInt(range.from),
      toSequence: range && BigInt(range.to),
      indexUpTo: 0,
    };
    const verified = await verifyChain(this.#deps, asked, signal).catch((error: unknown) => {
      if (error instanceof AnnalsError && error.kind === "internal")
        this.#deps.metrics.verifications.inc({ result: "refused" });
      throw error;
    });
    return verified.firstInvalid;
  }

  /**
   * Compares the chunks of the filter index that were not compared before, as far as `to`. Those that are not
   * sealed yet are compared each time: sealing stores them anew.
   */
  async #compareIndex(
    accountId: string,
    { kept, to }: { readonly kept: number; readonly to: number },
    signal: AbortSignal,
  ) {
    const { indexed, sealed } = await indexEnds(this.#deps.database, accountId);
    const end = Math.floor(Math.min(indexed, to) / CHUNK_SIZE);
    // The index may have been deleted and rebuilt.
    const first = Math.min(kept, end);
    const next = Math.min(first + MAX_CHUNKS, end);
    const range = { from: first * CHUNK_SIZE + 1, to: next * CHUNK_SIZE };
    const firstInvalid = await verifyIndex(this.#deps, accountId, range, signal);
    const isComplete = next === end;
    const chunks = isComplete ? Math.min(next, Math.floor(sealed / CHUNK_SIZE)) : next;
    return { firstInvalid, chunks: String(chunks), isComplete };
  }

  async #hash(accountId: string, sequence: number): Promise<string> {
    const [row] = await this.#deps.database.run(getHash, [accountId, String(sequence)]);
    return row?.hash ?? "";
  }

  async #record(
    accountId: string,
    { sequence_number, hash, chunks, isComplete }: ClaimedRow & { readonly isComplete: boolean },
    isDueAtOnce = false,
  ): Promise<void> {
    const secondsToNext = isDueAtOnce ? 0 : this.#deps.intervalHours * S_PER_HOUR;
    const params = [accountId, sequence_number, hash, chunks, isComplete, secondsToNext] as const;
    await this.#deps.database.run(recordVerification, [...params]);
  }
}
