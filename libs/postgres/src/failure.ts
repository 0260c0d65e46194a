// Classifies the failures of PostgreSQL. Called by pool.ts. A transient one (no connection, no capacity, a
// server that shuts down, a conflict of two transactions) becomes `unavailable`, which clients may retry;
// every other one stays pg's DatabaseError, for the caller to handle or to fail on.

import { AnnalsError, unavailable } from "@annals/errors";
import { DatabaseError } from "pg";

/**
 * SQLSTATE classes and codes (PostgreSQL, appendix A) of transient failures: they say nothing about the
 * statement.
 */
const TRANSIENT = [
  "08", // connection exception
  "53", // insufficient resources: disk full, out of memory, too many connections
  "57P", // the server is shutting down, starting, or ended this connection on request
  "57014", // statement_timeout
  "55P03", // lock_timeout
  "25006", // read-only: connected to a standby after a failover
];

/**
 * The server is well, and has rolled the statement and its transaction back: a serialization failure, a
 * deadlock.
 */
const ROLLED_BACK = ["40001", "40P01"];

/**
 * What the coordinator of a Citus cluster says, as an internal error of PostgreSQL, if it loses a worker
 * within a transaction, or if a shard is split or moved while a statement is planned.
 */
const LOST_WORKER =
  /^(failure on connection marked as essential|failed to prepare transaction|could not find valid entry for shard)\b/;

/** The error to throw in place of the one that pg threw. */
export function translateFailure(error: unknown): unknown {
  if (error instanceof AnnalsError) return error;
  if (error instanceof DatabaseError) {
    const code = error.code ?? "";
    if (ROLLED_BACK.includes(code))
      return unavailable("The transaction was rolled back. Try again.", error);
    const isTransient =
      TRANSIENT.some((class_) => code.startsWith(class_)) ||
      (code === "XX000" && LOST_WORKER.test(error.message));
    return isTransient ? databaseUnavailable(error) : error;
  }
  // Any other error of pg is about its connection: refused, reset, timed out, ended.
  return error instanceof Error ? databaseUnavailable(error) : error;
}

/** SQLSTATE classes with which the server ends the connection, not only the statement. */
const ENDING = ["08", "57P"];

/** Whether the server rejected a statement and the connection stays usable. */
export function isServerError(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  // The coordinator of a Citus cluster reports a worker that it cannot reach, and keeps the connection.
  if (error.severity === "ERROR") return true;
  return !ENDING.some((class_) => error.code?.startsWith(class_));
}

/** Whether PostgreSQL cancelled the statement: at a request, or after its timeout. */
export function isCancelled(error: unknown): boolean {
  const failure = error instanceof AnnalsError ? error.cause : error;
  return failure instanceof DatabaseError && failure.code === "57014";
}

/** Whether the server does not support the statement: Citus refuses some on distributed tables. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === "0A000";
}

/** The unique or check constraint that a statement violated; undefined when it failed for another reason. */
export function violatedConstraint(error: unknown): string | undefined {
  const integrity = error instanceof DatabaseError && error.code?.startsWith("23");
  return integrity ? error.constraint : undefined;
}

function databaseUnavailable(cause: Error): AnnalsError {
  return unavailable("The database is unavailable at the moment. Try again.", cause);
}
