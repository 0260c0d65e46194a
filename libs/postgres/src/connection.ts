// One connection of the pool while it is in use: statements, their cancellation, and whether it may be
// used again. Called by pool.ts. It must never give a connection back while a statement, or a request to
// cancel one, is in progress on it.

import { inTrace, type Logger } from "@annals/chassis";
import type pg from "pg";
import { Cancellation } from "./cancel-request.ts";
import { isServerError, isCancelled, translateFailure } from "./failure.ts";
import type { Statement } from "./statement.ts";

/**
 * Which idle connections may be as dead as one that got no response, such as all to a former primary that was
 * cut off: those that have received nothing since its statement was sent.
 */
export class StaleConnections {
  readonly #aliveAt = new WeakMap<pg.PoolClient, number>();
  #since = 0;

  markAlive(client: pg.PoolClient): void {
    this.#aliveAt.set(client, performance.now());
  }

  /** A statement sent at `since` got no response. */
  markStale(since: number): void {
    this.#since = Math.max(this.#since, since);
  }

  /** Returns a connection that may be used, and closes those that may be dead. */
  async connection(pool: pg.Pool): Promise<pg.PoolClient> {
    for (;;) {
      const client = await pool.connect();
      if ((this.#aliveAt.get(client) ?? Infinity) >= this.#since) return client;
      client.release(true);
    }
  }
}

export class Connection {
  readonly #client: pg.PoolClient;
  readonly #stale: StaleConnections;
  readonly #log: Logger;
  /** True once it has failed in any way but a statement's: it must not be used again. */
  #isLost = false;

  private constructor(client: pg.PoolClient, stale: StaleConnections, log: Logger) {
    this.#client = client;
    this.#stale = stale;
    this.#log = log;
    client.on("error", this.#onError);
  }

  static async open(pool: pg.Pool, stale: StaleConnections, log: Logger): Promise<Connection> {
    // Outside of the request's trace: the connection outlives it.
    return new Connection(await inTrace(undefined, () => stale.connection(pool)), stale, log);
  }

  // A connection that breaks between two statements must not end the process; the next statement reports it.
  readonly #onError = (error: Error): void => {
    this.#isLost = true;
    this.#log.warn({ err: error }, "database connection lost");
  };

  get isLost(): boolean {
    return this.#isLost;
  }

  release(): void {
    this.#client.off("error", this.#onError);
    this.#client.release(this.#isLost);
  }

  /** Rejects with the signal's reason when it was aborted and the statement did nothing. */
  async send<Params extends readonly unknown[], Row>(
    { name, text, customPlan }: Statement<Params, Row>,
    params: Params,
    signal?: AbortSignal,
  ): Promise<Row[]> {
    const values = params as unknown as unknown[];
    const { rows } = await this.query({ ...(!customPlan && { name }), text, values }, signal);
    return rows as Row[];
  }

  async query(config: pg.QueryConfig, signal?: AbortSignal): Promise<pg.QueryResult> {
    if (signal === undefined) return this.#query(config);
    signal.throwIfAborted();
    const cancellation = new Cancellation(this.#client, signal);
    try {
      return await this.#query(config);
    } catch (error) {
      throw signal.aborted && isCancelled(error) ? signal.reason : error;
    } finally {
      if (!(await cancellation.end())) this.#isLost = true;
    }
  }

  async #query(config: pg.QueryConfig): Promise<pg.QueryResult> {
    const sentAt = performance.now();
    try {
      const result = await this.#client.query(config);
      this.#stale.markAlive(this.#client);
      return result;
    } catch (error) {
      if (isServerError(error)) this.#stale.markAlive(this.#client);
      else {
        this.#isLost = true;
        this.#stale.markStale(sentAt);
      }
      throw translateFailure(error);
    }
  }

  /** Rolls back. The server does so itself if the connection is lost. */
  async rollBack(): Promise<void> {
    if (this.#isLost) return;
    await this.query({ text: "ROLLBACK" }).catch(() => (this.#isLost = true));
  }
}
