// The connection pool of a service, and transactions on it. The only place that opens connections to PostgreSQL.

import { unavailable } from "@annals/errors";
import type { Histogram, Logger } from "@annals/chassis";
import { SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import pg from "pg";
import { translateFailure } from "./failure.ts";
import type { Database, Statement } from "./statement.ts";

export interface PoolOptions {
  readonly connectionString: string;
  /** The role that the connections take on: it has the service's few rights and no others. */
  readonly role?: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly maxConnections: number;
  /** The server gives a statement up after this long. */
  readonly statementTimeoutMs: number;
  readonly log: Logger;
  readonly duration?: Histogram<string>;
}

export interface Pool extends Database {
  /**
   * Runs `work` in one transaction on one connection: commits when it resolves, rolls back when it rejects. A COMMIT
   * whose answer is lost rejects with `unavailable`: the outcome is then unknown, and only what the transaction itself
   * stored (an idempotency key) can tell.
   */
  transaction<T>(work: (transaction: Database) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** A connection that cannot be had within this time counts as refused. */
const CONNECT_TIMEOUT_MS = 3_000;

/** The client waits this much longer than the server's own limit: for a server that is stopped or cut off. */
const ANSWER_GRACE_MS = 1_000;

const IDLE_TIMEOUT_MS = 60_000;

const tracer = trace.getTracer("annals.postgres");

/** Numbers beyond 2^53 and times with microseconds do not survive pg's own parsers: both stay text. */
const AS_TEXT = new Set<number>([
  pg.types.builtins.INT8,
  pg.types.builtins.TIMESTAMPTZ,
  pg.types.builtins.NUMERIC,
]);

export function createPool(options: PoolOptions): Pool {
  const pool = new pg.Pool({
    connectionString: options.connectionString,
    application_name: options.applicationName,
    max: options.maxConnections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    statement_timeout: options.statementTimeoutMs,
    query_timeout: options.statementTimeoutMs + ANSWER_GRACE_MS,
    keepAlive: true,
    ...(options.role && { options: `-c role=${options.role}` }),
    types: {
      getTypeParser: ((oid: number, format?: "text" | "binary") =>
        AS_TEXT.has(oid)
          ? String
          : pg.types.getTypeParser(oid, format ?? "text")) as typeof pg.types.getTypeParser,
    },
  });
  // Without a listener the loss of an idle connection ends the process.
  pool.on("error", (error) => options.log.warn({ err: error }, "idle database connection lost"));
  return {
    run: (statement, params) => runOn(pool, options, statement, params),
    transaction: (work) => transaction(pool, options, work),
    close: () => pool.end(),
  };
}

async function transaction<T>(
  pool: pg.Pool,
  options: PoolOptions,
  work: (transaction: Database) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch(rethrow);
  // A connection that breaks between two statements must not end the process; the next statement reports it.
  const onError = (error: Error): void =>
    options.log.warn({ err: error }, "database connection lost");
  client.on("error", onError);
  let broken = true;
  try {
    await client.query("BEGIN").catch(rethrow);
    const result = await work({
      run: (statement, params) => runOn(client, options, statement, params),
    });
    const { command } = await client.query("COMMIT").catch(rethrow);
    broken = false;
    // PostgreSQL answers ROLLBACK to a COMMIT of a transaction that had failed.
    if (command !== "COMMIT") throw unavailable("The transaction was rolled back. Try again.");
    return result;
  } catch (error) {
    if (broken)
      broken = !(await client.query("ROLLBACK").then(
        () => true,
        () => false,
      ));
    throw error;
  } finally {
    client.off("error", onError);
    client.release(broken);
  }
}

function rethrow(error: unknown): never {
  throw translateFailure(error);
}

async function runOn<Params extends readonly unknown[], Row>(
  connection: pg.Pool | pg.PoolClient,
  { duration }: PoolOptions,
  { name, text, plannedAnew }: Statement<Params, Row>,
  params: Params,
): Promise<Row[]> {
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT });
  const started = performance.now();
  let failure = "";
  try {
    const result = await connection.query({
      ...(!plannedAnew && { name }),
      text,
      values: params as unknown as unknown[],
    });
    return result.rows as Row[];
  } catch (error) {
    failure = error instanceof pg.DatabaseError ? (error.code ?? "unknown") : "connection";
    span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
    throw translateFailure(error);
  } finally {
    duration?.observe(
      { db_operation_name: name, error_type: failure },
      (performance.now() - started) / 1000,
    );
    span.end();
  }
}
