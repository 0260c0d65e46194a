// The negative subscription cache: remembers for a moment which accounts and kinds have no subscriber. Most
// accounts have no webhook, and each of their flushes sends a notice: a query for each would cost more than
// the deliveries of the others. The newest position of a remembered account is kept, and one statement
// queries all accounts that have a kept position. Called by fan-out.ts. It must never lose a kept position: a
// webhook that another replica created is served late by at most this moment, and misses nothing. The sweep
// finds what is beyond the bound.

import { type Logger, type RestingLoop, startResting } from "@annals/chassis";
import { type Database, readAccounts } from "@annals/postgres";
import { type Announcement, type Kind, KINDS, patternsOf } from "../../webhooks/rules/kinds.ts";
import type { Metrics } from "../../metrics.ts";
import { findSubscribed } from "../store/find-subscribed.ts";

export interface NegativeSubscriptionCacheDeps {
  readonly database: Database;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Called with the newest position of an account that has a subscriber after all. */
  readonly onSubscribed: (notice: Announcement) => void;
}

/** Time from one query for the accounts with a kept position to the next. */
const INTERVAL_MS = 250;
/** Maximum accounts and kinds. Any others cost a query each time. */
const MAX_ENTRIES = 100_000;
/** Maximum accounts and kinds that one statement queries. */
const PIECE = 1_000;

interface Entry {
  readonly kind: Kind;
  readonly accountId: string;
  /** Notice with the newest position that arrived since the database was queried. */
  kept: Announcement | undefined;
  /** Whether no position arrived in the last interval. */
  isIdle: boolean;
}

export class NegativeSubscriptionCache {
  readonly #deps: NegativeSubscriptionCacheDeps;
  readonly #entries = new Map<string, Entry>();
  readonly #loop: RestingLoop;
  #isStopping = false;

  constructor(deps: NegativeSubscriptionCacheDeps) {
    this.#deps = deps;
    this.#loop = startResting({
      name: "subscription_cache",
      log: deps.log,
      failures: deps.metrics.failures,
      initialDelayMs: INTERVAL_MS,
      delayMs: INTERVAL_MS,
      maxBackoffMs: INTERVAL_MS,
      run: () => this.#revalidate(),
    });
  }

  /** Called when the database has just shown that the account has no subscriber of this kind. */
  add(kind: Kind, accountId: string): void {
    const key = keyOf(kind, accountId);
    if (this.#isStopping || this.#entries.has(key)) return;
    if (this.#entries.size >= MAX_ENTRIES) return;
    this.#entries.set(key, { kind, accountId, kept: undefined, isIdle: false });
    this.#loop.expectWork();
  }

  /** Whether the notice is kept here, and needs no work now. */
  keeps(notice: Announcement): boolean {
    const found = this.#entries.get(keyOf(notice.kind, notice.accountId));
    if (!found) return false;
    if (found.kept === undefined || found.kept.position < notice.position) found.kept = notice;
    found.isIdle = false;
    return true;
  }

  /** Called when the account has a new subscriber: its kept positions are handed on at once. */
  forget(accountId: string): void {
    for (const kind of KINDS) this.#release(this.#entries.get(keyOf(kind, accountId)));
  }

  /** Keeps nothing more, and resolves when nothing is in flight. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#entries.clear();
    await this.#loop.stop();
  }

  #release(found: Entry | undefined): void {
    if (!found) return;
    const { accountId, kept, kind } = found;
    this.#entries.delete(keyOf(kind, accountId));
    if (kept !== undefined) this.#deps.onSubscribed(kept);
  }

  /**
   * Queries the entries with a kept position again; forgets those that were idle since the last time. Without
   * entries it rests until there is one.
   */
  async #revalidate(): Promise<number> {
    const kept: Entry[] = [];
    for (const [key, entry] of this.#entries) {
      if (entry.kept !== undefined) kept.push(entry);
      else if (entry.isIdle) this.#entries.delete(key);
      else entry.isIdle = true;
    }
    for (let at = 0; at < kept.length; at += PIECE) await this.#ask(kept.slice(at, at + PIECE));
    return this.#entries.size > 0 ? INTERVAL_MS : Infinity;
  }

  async #ask(piece: readonly Entry[]): Promise<void> {
    const { database } = this.#deps;
    const asked = piece.map(({ kept }) => kept);
    const accountIds = [...new Set(piece.map(({ accountId }) => accountId))];
    const patterns = [...new Set(piece.flatMap(({ kind }) => patternsOf(kind)))];
    const { failed, rows } = await readAccounts(database, accountIds, {
      together: () => database.run(findSubscribed, [accountIds, patterns]),
      each: (accountId) => database.run(findSubscribed, [[accountId], patterns]),
    });
    const subscribed = new Set(rows.map((row) => `${row.pattern} ${row.account_id}`));
    for (const entry of piece) {
      const { accountId, kind } = entry;
      const isSubscribed = patternsOf(kind).some((one) => subscribed.has(`${one} ${accountId}`));
      // The entry may have been released meanwhile, or the process drains.
      const isKept = this.#entries.get(keyOf(kind, accountId)) === entry;
      if (isSubscribed && isKept) this.#release(entry);
    }
    for (const [index, entry] of piece.entries()) {
      if (entry.kept === asked[index] && !failed.has(entry.accountId)) entry.kept = undefined;
    }
  }
}

function keyOf(kind: Kind, accountId: string): string {
  return `${kind} ${accountId}`;
}
