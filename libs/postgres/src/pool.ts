// The connection pool of a service, and transactions on it, with a share of it for each account. Only this
// file, migrate.ts, vacuum.ts and cancel-request.ts open connections to PostgreSQL.

import { AnnalsError, unavailable } from "@annals/errors";
import {
  CLIENT,
  ConfigError,
  type DatabaseMetrics,
  failSpan,
  type Logger,
  startSpan,
} from "@annals/chassis";
import pg from "pg";
import { Connection, StaleConnections } from "./connection.ts";
import { ConnectionShares, NO_ACCOUNT } from "./connection-shares.ts";
import { translateFailure } from "./failure.ts";
import { beginSession, refuseUnsupported } from "./server-requirements.ts";
import { BEGIN, connectionOf } from "./session-settings.ts";
import { type Database, parameterBytes } from "./statement.ts";

export interface PoolOptions {
  readonly connectionString: string;
  /** The role that the connections take on: it has the service's few rights and no others. */
  readonly role?: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly maxConnections: number;
  /** The statement timeout: the server cancels a statement after this long. */
  readonly statementTimeoutMs: number;
  /** How long work waits for a connection, and a transaction at the server for its next statement. */
  readonly waitMs?: number;
  readonly log: Logger;
  readonly metrics?: DatabaseMetrics;
}

export interface Pool extends Database {
  /**
   * Runs `work` in one transaction on one connection: commits when it resolves, rolls back when it
   * rejects. A lost commit acknowledgement rejects with `unavailable`: the outcome is then unknown, and only
   * what the transaction stored (an idempotency key) can show it. `bytesOf` says about how many bytes
   * `work` holds while it waits for a connection; by default 16 KiB, those of a small request.
   */
  transaction<T>(work: (transaction: Database) => Promise<T>, bytesOf?: () => number): Promise<T>;
  /**
   * The same pool for one account, which has at most a share of its connections. When `signal` aborts, a wait
   * for a connection ends, and a running statement is cancelled at the server: both reject with the signal's
   * reason. A transaction is rolled back; a COMMIT is never cancelled. A single statement that writes may
   * have been stored before the request arrived, so without a transaction it gets no signal.
   */
  forAccount(accountId: string, signal?: AbortSignal): Pool;
  close(): Promise<void>;
}

/**
 * A connection that is not open within this time counts as refused. PostgreSQL ends a transaction whose
 * client has sent nothing for as long: a process that hangs inside one would keep its locks, the head of a
 * chain among them.
 */
const WAIT_MS = 3_000;

/** The client times out this much later than the server: for when the server hangs or is unreachable. */
const ANSWER_GRACE_MS = 1_000;

const IDLE_TIMEOUT_MS = 60_000;

/** A thousand of these are within the bytes of an account that may wait. */
const SMALL_REQUEST_BYTES = 16 * 1024;

type TypeId = Parameters<typeof pg.types.getTypeParser>[0];

/** Numbers beyond 2^53 and times with microseconds do not survive pg's own parsers: both stay text. */
const AS_TEXT: ReadonlySet<TypeId> = new Set([
  pg.types.builtins.INT8,
  pg.types.builtins.TIMESTAMPTZ,
  pg.types.builtins.NUMERIC,
]);

/** Throws a ConfigError when the URL, or a file that it names, cannot be used. */
export function createPool(options: PoolOptions): Pool {
  checkUrl(options.connectionString);
  const { waitMs = WAIT_MS } = options;
  const pool = new pg.Pool({
    ...connectionOf(options),
    application_name: options.applicationName,
    max: options.maxConnections,
    connectionTimeoutMillis: waitMs,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    statement_timeout: options.statementTimeoutMs,
    query_timeout: options.statementTimeoutMs + ANSWER_GRACE_MS,
    idle_in_transaction_session_timeout: waitMs,
    keepAlive: true,
    verify: (client, done) => void verifyServer(client).then(() => done(), done),
    types: {
      getTypeParser: ((oid: TypeId, format?: "text" | "binary") =>
        AS_TEXT.has(oid)
          ? String
          : pg.types.getTypeParser(oid, format ?? "text")) as typeof pg.types.getTypeParser,
    },
  });
  // Without a listener the loss of an idle connection ends the process.
  pool.on("error", (error) => options.log.warn({ err: error }, "idle database connection lost"));
  // So does the loss of one between the pool and the code that asked for it: the pool has removed its
  // listener by then. The next statement on the connection reports it.
  pool.on("connect", (client) => client.on("error", () => {}));
  const shares = new ConnectionShares({
    total: options.maxConnections,
    waitMs,
  });
  options.metrics?.watch(options.maxConnections, () => ({
    used: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    pending: shares.pending,
  }));
  return new SharedPool({ pool, options, shares, stale: new StaleConnections() }, NO_ACCOUNT);
}

/**
 * Equivalent of target_session_attrs of libpq, which pg lacks. During a failover a name may still lead to a
 * standby, or to the former primary: its results are old, and the connection would stay.
 */
async function verifyServer(client: pg.ClientBase): Promise<void> {
  const server = await beginSession(client);
  refuseUnsupported(server);
  if (server.is_standby) throw new Error("this PostgreSQL is a standby");
}

/** Without it, pg would read the files of `sslrootcert` and the like for each connection and fail there. */
export function checkUrl(connectionString: string): void {
  try {
    void new pg.Client({ connectionString });
  } catch (error) {
    const reason = error instanceof Error ? error.message : "cannot be used";
    throw new ConfigError(`ANNALS_DATABASE_URL: ${reason}`);
  }
}

/** What the pool is made of, for all accounts. */
interface Parts {
  readonly pool: pg.Pool;
  readonly options: PoolOptions;
  readonly shares: ConnectionShares;
  readonly stale: StaleConnections;
}

/** The pool as one account has it, or the service itself. Its methods are its own: tests spread pools. */
class SharedPool implements Pool {
  readonly #parts: Parts;
  readonly #account: string;
  readonly #signal: AbortSignal | undefined;

  constructor(parts: Parts, account: string, signal?: AbortSignal) {
    this.#parts = parts;
    this.#account = account;
    this.#signal = signal;
  }

  readonly run: Pool["run"] = (statement, params) =>
    this.#observed(statement, () =>
      this.#onConnection(
        (connection) => connection.send(statement, params, this.#signal),
        () => parameterBytes(params),
      ),
    );

  readonly transaction: Pool["transaction"] = (work, bytesOf = () => SMALL_REQUEST_BYTES) =>
    this.#onConnection(async (connection) => {
      const committed: (() => void)[] = [];
      await connection.query({ text: BEGIN });
      let result: Awaited<ReturnType<typeof work>>;
      try {
        result = await work({
          run: (statement, params) =>
            this.#observed(statement, () => connection.send(statement, params, this.#signal)),
          afterCommit: (then) => void committed.push(then),
        });
        this.#signal?.throwIfAborted();
      } catch (error) {
        await connection.rollBack();
        throw error;
      }
      // Never cancelled: the outcome would be unknown.
      const { command } = await connection.query({ text: "COMMIT" });
      // PostgreSQL responds with ROLLBACK to a COMMIT of a transaction that had failed.
      if (command !== "COMMIT") throw unavailable("The transaction was rolled back. Try again.");
      for (const then of committed) then();
      return result;
    }, bytesOf);

  readonly forAccount: Pool["forAccount"] = (accountId, signal) =>
    new SharedPool(this.#parts, accountId, signal);

  readonly close: Pool["close"] = () => this.#parts.pool.end();

  async #onConnection<T>(
    use: (connection: Connection) => Promise<T>,
    bytesOf: () => number,
  ): Promise<T> {
    const { shares } = this.#parts;
    const askedAt = performance.now();
    try {
      const waiting = shares.take(this.#account, this.#signal, bytesOf);
      if (waiting !== undefined) await waiting;
    } catch (error) {
      this.#waited(askedAt);
      throw this.#failure(error);
    }
    try {
      const connection = await this.#open().finally(() => this.#waited(askedAt));
      try {
        this.#signal?.throwIfAborted();
        return await use(connection);
      } finally {
        connection.release();
      }
    } finally {
      shares.release(this.#account);
    }
  }

  async #open(): Promise<Connection> {
    const { options, pool, stale } = this.#parts;
    try {
      return await Connection.open(pool, stale, options.log);
    } catch (error) {
      throw translateFailure(error);
    }
  }

  #waited(since: number): void {
    this.#parts.options.metrics?.wait.observe((performance.now() - since) / 1000);
  }

  #failure(error: unknown): unknown {
    return this.#isCancelled(error) ? error : translateFailure(error);
  }

  #isCancelled(error: unknown): boolean {
    return this.#signal?.aborted === true && error === this.#signal.reason;
  }

  /** One observation a statement, the wait for a connection included, and a span in a recorded request. */
  async #observed<T>({ name }: { readonly name: string }, work: () => Promise<T>): Promise<T> {
    const span = startSpan(name, {
      kind: CLIENT,
      attributes: { "db.system.name": "postgresql", "db.operation.name": name },
    });
    const started = performance.now();
    let failure = "";
    try {
      return await work();
    } catch (error) {
      failure = this.#isCancelled(error) ? "cancelled" : (sqlstate(error) ?? "connection");
      if (span) failSpan(span, failure);
      throw error;
    } finally {
      this.#parts.options.metrics?.duration.observe(
        { db_operation_name: name, error_type: failure },
        (performance.now() - started) / 1000,
      );
      span?.end();
    }
  }
}

/** Returns the SQLSTATE of the error, or of the cause that made it `unavailable`. */
function sqlstate(error: unknown): string | undefined {
  const failure = error instanceof AnnalsError ? error.cause : error;
  return failure instanceof pg.DatabaseError ? failure.code : undefined;
}
