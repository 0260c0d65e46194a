// The connection pool of a service, and transactions on it. Only this file and migrate.ts open connections
// to PostgreSQL.

import { AnnalsError, unavailable } from "@annals/errors";
import {
  CLIENT,
  ConfigError,
  type DatabaseMetrics,
  failSpan,
  inTrace,
  type Logger,
  startSpan,
} from "@annals/chassis";
import pg from "pg";
import { isAnswer, translateFailure } from "./failure.ts";
import type { Database, Statement } from "./statement.ts";

export interface PoolOptions {
  readonly connectionString: string;
  /** The role that the connections take on: it has the service's few rights and no others. */
  readonly role?: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly maxConnections: number;
  /** The statement timeout: the server cancels a statement after this long. */
  readonly statementTimeoutMs: number;
  readonly log: Logger;
  readonly metrics?: DatabaseMetrics;
}

export interface Pool extends Database {
  /**
   * Runs `work` in one transaction on one connection: commits when it resolves, rolls back when it
   * rejects. A lost commit acknowledgement rejects with `unavailable`: the outcome is then unknown, and only
   * what the transaction stored (an idempotency key) can show it.
   */
  transaction<T>(work: (transaction: Database) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** A connection that is not open within this time counts as refused. */
const CONNECT_TIMEOUT_MS = 3_000;

/** The client times out this much later than the server: where the server hangs or is unreachable. */
const ANSWER_GRACE_MS = 1_000;

const IDLE_TIMEOUT_MS = 60_000;

/**
 * PostgreSQL ends a transaction whose client has sent nothing for this long. A process that hangs inside one
 * would keep its locks, the head of a chain among them.
 */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 3_000;

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
  const pool = new pg.Pool({
    ...address(options),
    application_name: options.applicationName,
    max: options.maxConnections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    statement_timeout: options.statementTimeoutMs,
    query_timeout: options.statementTimeoutMs + ANSWER_GRACE_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
    verify: (client, done) => void refuseStandby(client).then(() => done(), done),
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
  const silence = new Silence();
  options.metrics?.watch(options.maxConnections, () => ({
    used: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    pending: pool.waitingCount,
  }));
  return {
    run: (statement, params) =>
      observed(options, statement, () =>
        onConnection(pool, silence, options, (connection) => send(connection, statement, params)),
      ),
    transaction: (work) =>
      onConnection(pool, silence, options, (connection) => transaction(connection, options, work)),
    close: () => pool.end(),
  };
}

/**
 * As target_session_attrs of libpq, which pg lacks. During a failover a name may still lead to a standby, or
 * to the former primary: what it answers is old, and the connection would stay.
 */
async function refuseStandby(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ is_standby: boolean }>(
    "/* postgres.is-standby */ SELECT pg_is_in_recovery() AS is_standby",
  );
  if (rows[0]?.is_standby) throw new Error("this PostgreSQL is a standby");
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

/**
 * In pg the options in the address replace those beside it: without this, an address with some
 * would drop the role. JIT is off: the statements are short, and compiling one takes longer than running it.
 */
function address({ connectionString, role }: PoolOptions): pg.PoolConfig {
  const url = new URL(connectionString);
  const given = url.searchParams.get("options");
  url.searchParams.delete("options");
  const options = [given, role === undefined ? null : `-c role=${role}`, "-c jit=off"];
  return {
    connectionString: given === null ? connectionString : url.href,
    options: options.filter((option) => option !== null).join(" "),
  };
}

/**
 * Which idle connections may be as dead as one that got no answer, such as all to a former primary that was
 * cut off: those on which nothing was heard since its statement was sent.
 */
class Silence {
  readonly #heardAt = new WeakMap<pg.PoolClient, number>();
  #since = 0;

  heard(client: pg.PoolClient): void {
    this.#heardAt.set(client, performance.now());
  }

  /** A statement sent at `since` got no answer. */
  noticed(since: number): void {
    this.#since = Math.max(this.#since, since);
  }

  /** A connection of the pool that is none of them; they are closed, and new ones take their place. */
  async connection(pool: pg.Pool): Promise<pg.PoolClient> {
    for (;;) {
      const client = await pool.connect();
      if ((this.#heardAt.get(client) ?? Infinity) >= this.#since) return client;
      client.release(true);
    }
  }
}

interface Connection {
  readonly client: pg.PoolClient;
  readonly silence: Silence;
  /** True once it has failed in any way but a statement's: it must not be used again. */
  isLost: boolean;
}

async function onConnection<T>(
  pool: pg.Pool,
  silence: Silence,
  { log, metrics }: PoolOptions,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const askedAt = performance.now();
  // Outside of the request's trace: the connection outlives it.
  const client = await inTrace(undefined, () => silence.connection(pool))
    .catch(rethrow)
    .finally(() => metrics?.wait.observe((performance.now() - askedAt) / 1000));
  const connection: Connection = { client, silence, isLost: false };
  // A connection that breaks between two statements must not end the process; the next statement reports it.
  const onError = (error: Error): void => {
    connection.isLost = true;
    log.warn({ err: error }, "database connection lost");
  };
  client.on("error", onError);
  try {
    return await use(connection);
  } finally {
    client.off("error", onError);
    client.release(connection.isLost);
  }
}

async function transaction<T>(
  connection: Connection,
  options: PoolOptions,
  work: (transaction: Database) => Promise<T>,
): Promise<T> {
  await query(connection, { text: "BEGIN" });
  let result: T;
  try {
    result = await work({
      run: (statement, params) =>
        observed(options, statement, () => send(connection, statement, params)),
    });
  } catch (error) {
    // The server rolls back the transaction of a lost connection.
    if (!connection.isLost) {
      await query(connection, { text: "ROLLBACK" }).catch(() => (connection.isLost = true));
    }
    throw error;
  }
  const { command } = await query(connection, { text: "COMMIT" });
  // PostgreSQL answers ROLLBACK to a COMMIT of a transaction that had failed.
  if (command !== "COMMIT") throw unavailable("The transaction was rolled back. Try again.");
  return result;
}

async function send<Params extends readonly unknown[], Row>(
  connection: Connection,
  { name, text, customPlan }: Statement<Params, Row>,
  params: Params,
): Promise<Row[]> {
  const values = params as unknown as unknown[];
  const { rows } = await query(connection, { ...(!customPlan && { name }), text, values });
  return rows as Row[];
}

async function query(connection: Connection, config: pg.QueryConfig): Promise<pg.QueryResult> {
  const { client, silence } = connection;
  const sentAt = performance.now();
  try {
    const result = await client.query(config);
    silence.heard(client);
    return result;
  } catch (error) {
    if (isAnswer(error)) silence.heard(client);
    else {
      connection.isLost = true;
      silence.noticed(sentAt);
    }
    throw translateFailure(error);
  }
}

function rethrow(error: unknown): never {
  throw translateFailure(error);
}

/** One observation a statement, the wait for a connection included, and a span in a recorded request. */
async function observed<T>(
  { metrics }: PoolOptions,
  { name }: { readonly name: string },
  work: () => Promise<T>,
): Promise<T> {
  const span = startSpan(name, {
    kind: CLIENT,
    attributes: { "db.system.name": "postgresql", "db.operation.name": name },
  });
  const started = performance.now();
  let failure = "";
  try {
    return await work();
  } catch (error) {
    failure = sqlstate(error) ?? "connection";
    if (span) failSpan(span, failure);
    throw error;
  } finally {
    metrics?.duration.observe(
      { db_operation_name: name, error_type: failure },
      (performance.now() - started) / 1000,
    );
    span?.end();
  }
}

/** Of the error itself or of what made it `unavailable`. */
function sqlstate(error: unknown): string | undefined {
  const answer = error instanceof AnnalsError ? error.cause : error;
  return answer instanceof pg.DatabaseError ? answer.code : undefined;
}
