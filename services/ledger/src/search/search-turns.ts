// Runs the statements of searches, a few at a time for all of a ledger, so that any number of lists leaves
// connections and CPU to appends. Accounts take turns, statement by statement; an account has two at a
// time, of which its widget tokens have one, and its exports and webhooks one. Called by the handlers that
// list or stream events. A turn is free only when its statement has ended at PostgreSQL.

import { Lines } from "@annals/contract";
import { AnnalsError, unavailable } from "@annals/errors";
import type { Database, Pool } from "@annals/postgres";

/** Statements at a time, in all and of an account. */
const CONCURRENCY = 4;
const PER_ACCOUNT = 2;

/** For whom an account's events are read: each has a line, and so many of the account's statements. */
const OF_KIND = { client: 2, widget: 1, service: 1 } as const;

type Kind = keyof typeof OF_KIND;

/** Statements that wait: of a line, and in all. */
const MAX_WAITING_OF_LINE = 64;
const MAX_WAITING = 4_096;

export class SearchTurns {
  readonly #database: Pick<Pool, "forAccount">;
  readonly #running = new Map<string, number>();
  readonly #lines = new Lines<() => void>();
  #total = 0;
  #waiting = 0;

  constructor(database: Pick<Pool, "forAccount">) {
    this.#database = database;
  }

  /** What runs the statements of one call, each in its turn, until the caller leaves. */
  of(accountId: string, kind: Kind, signal: AbortSignal): Database {
    const line = `${kind} ${accountId}`;
    const database = this.#database.forAccount(accountId, signal);
    return {
      run: async (statement, params) => {
        await this.#take(line, signal);
        try {
          return await database.run(statement, params);
        } finally {
          this.#release(line);
        }
      },
    };
  }

  #take(line: string, signal: AbortSignal): Promise<void> | undefined {
    signal.throwIfAborted();
    if (!this.#mayRun(line)) return this.#wait(line, signal);
    this.#count(line, 1);
    return undefined;
  }

  #release(line: string): void {
    this.#count(line, -1);
    while (this.#total < CONCURRENCY) {
      const next = this.#lines.shift((each) => this.#mayRun(each));
      if (next === undefined) return;
      next();
    }
  }

  #mayRun(line: string): boolean {
    const [kind, accountId] = parts(line);
    if (this.#total >= CONCURRENCY) return false;
    if (this.#runningOf(line) >= OF_KIND[kind]) return false;
    const kinds = Object.keys(OF_KIND) as Kind[];
    const ofAccount = kinds.map((each) => this.#runningOf(`${each} ${accountId}`));
    return ofAccount.reduce((sum, one) => sum + one, 0) < PER_ACCOUNT;
  }

  #runningOf(line: string): number {
    return this.#running.get(line) ?? 0;
  }

  #count(line: string, change: 1 | -1): void {
    this.#total += change;
    const running = this.#runningOf(line) + change;
    if (running > 0) this.#running.set(line, running);
    else this.#running.delete(line);
  }

  async #wait(line: string, signal: AbortSignal): Promise<void> {
    if (this.#lines.lengthOf(line) >= MAX_WAITING_OF_LINE) throw tooMany();
    if (this.#waiting >= MAX_WAITING) throw unavailable("Too many lists are waiting. Try again.");
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const taken = (): void => {
      this.#count(line, 1);
      resolve();
    };
    const leave = (): void => {
      this.#lines.remove(line, taken);
      reject(signal.reason as Error);
    };
    this.#lines.push(line, taken);
    this.#waiting += 1;
    signal.addEventListener("abort", leave);
    try {
      await promise;
    } finally {
      this.#waiting -= 1;
      signal.removeEventListener("abort", leave);
    }
  }
}

function tooMany(): AnnalsError {
  const message = "This account has as many lists waiting as it may have. Try again.";
  return new AnnalsError("rate_limited", message, { retryAfterS: 1 });
}

function parts(line: string): readonly [kind: Kind, accountId: string] {
  const at = line.indexOf(" ");
  return [line.slice(0, at) as Kind, line.slice(at + 1)];
}
