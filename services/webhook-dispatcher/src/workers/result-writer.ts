// Stores what came of attempts and gives back what was not attempted: many at a time, and again for
// as long as their lease may hold when the database does not answer. Called by the delivery engine.

import { type Logger } from "@annals/chassis";
import { Batcher } from "@annals/rpc";
import type { Database } from "@annals/postgres";
import { setTimeout as pause } from "node:timers/promises";
import type { Metrics } from "../metrics.ts";
import { recordResults } from "../store/record-results.ts";
import { releaseClaims } from "../store/release-claims.ts";

export interface Claim {
  readonly accountId: string;
  readonly webhookId: string;
  readonly number: string;
  readonly fence: string;
}

export interface Result extends Claim {
  readonly success: boolean;
  readonly statusCode: number | null;
}

export interface ResultWriterDeps {
  readonly database: Database;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly retryDelaysS: readonly number[];
  readonly now: () => string | null;
  /** As long as results can be waited for: after it their leases are over and others have the deliveries. */
  readonly keepTryingMs: number;
}

const MAX_GROUP = 500;
const CONCURRENCY = 1;
/** Between two tries. */
const RETRY_MS = 250;

export class ResultWriter {
  readonly #deps: ResultWriterDeps;
  readonly #results: Batcher<Result, void>;
  readonly #releases: Batcher<Claim, void>;

  /** `maxWaiting`: as many as can be claimed at a time. */
  constructor(deps: ResultWriterDeps, maxWaiting: number) {
    this.#deps = deps;
    const bounds = { maxGroup: MAX_GROUP, concurrency: CONCURRENCY, maxWaiting };
    this.#results = new Batcher({ ...bounds, work: (results) => this.#record(results) });
    this.#releases = new Batcher({ ...bounds, work: (claims) => this.#release(claims) });
  }

  /** Resolves when it is stored, or when that is no longer of use. Never rejects. */
  async record(result: Result): Promise<void> {
    await this.#results.submit(result).catch((error: unknown) => this.#giveUp(error));
  }

  /** Resolves when it is given back; if it cannot be, its lease ends by itself. Never rejects. */
  async release(claim: Claim): Promise<void> {
    await this.#releases.submit(claim).catch((error: unknown) => this.#giveUp(error));
  }

  async #record(given: readonly Result[]) {
    const { database, metrics, now, retryDelaysS } = this.#deps;
    // In one order everywhere, so that two replicas never wait for each other.
    const results = given.toSorted((a, b) => (BigInt(a.number) < BigInt(b.number) ? -1 : 1));
    const rows = await this.#untilAnswered(() =>
      database.run(recordResults, [
        now(),
        retryDelaysS,
        ...columns(results),
        results.map(({ success }) => success),
        results.map(({ statusCode }) => statusCode),
      ]),
    );
    metrics.lostLeases.inc(results.length - rows.length);
    return given.map(() => ({ status: "fulfilled", value: undefined }) as const);
  }

  async #release(claims: readonly Claim[]) {
    const { database, metrics, now } = this.#deps;
    metrics.abandoned.inc(claims.length);
    await this.#untilAnswered(() => database.run(releaseClaims, [now(), ...columns(claims)]));
    return claims.map(() => ({ status: "fulfilled", value: undefined }) as const);
  }

  async #untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
    const until = performance.now() + this.#deps.keepTryingMs;
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (performance.now() > until) throw error;
      }
      await pause(RETRY_MS);
    }
  }

  #giveUp(error: unknown): void {
    this.#deps.metrics.failures.inc({ worker: "deliveries" });
    this.#deps.log.warn({ err: error }, "results of deliveries are lost: they are made again");
  }
}

function columns(claims: readonly Claim[]): [string[], string[], string[], string[]] {
  return [
    claims.map(({ accountId }) => accountId),
    claims.map(({ webhookId }) => webhookId),
    claims.map(({ number }) => number),
    claims.map(({ fence }) => fence),
  ];
}
