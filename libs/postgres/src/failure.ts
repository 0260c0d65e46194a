// Tells the failures of PostgreSQL apart: what passes by itself (no connection, no room, a server
// going down) becomes `unavailable`, which clients may try again; all else stays pg's DatabaseError
// for the caller to know or to fail on.

import { AnnalsError, unavailable } from "@annals/errors";
import { DatabaseError } from "pg";

/** SQLSTATE classes and codes (PostgreSQL, appendix A) that say nothing about the statement itself. */
const PASSING = [
  "08", // connection exception
  "53", // insufficient resources: disk full, out of memory, too many connections
  "57P", // the server is shutting down, starting or was told to end this connection
  "57014", // statement_timeout
  "55P03", // lock_timeout
  "40001", // serialization failure
  "40P01", // deadlock detected
  "25006", // read-only: connected to a standby after a failover
];

/** An error to throw in place of what pg threw. */
export function translateFailure(error: unknown): unknown {
  if (error instanceof AnnalsError) return error;
  if (error instanceof DatabaseError) {
    const code = error.code ?? "";
    return PASSING.some((class_) => code.startsWith(class_)) ? databaseUnavailable(error) : error;
  }
  // What pg throws otherwise is about its connection: refused, reset, timed out, ended.
  return error instanceof Error ? databaseUnavailable(error) : error;
}

/** SQLSTATE classes with which the server ends the connection, not only the statement. */
const ENDING = ["08", "57P"];

/** Whether this is the server's answer to a statement, after which the connection serves on. */
export function isAnswer(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  return !ENDING.some((class_) => error.code?.startsWith(class_));
}

/** The unique or check constraint that a statement broke, or undefined when that is not why it failed. */
export function violatedConstraint(error: unknown): string | undefined {
  const integrity = error instanceof DatabaseError && error.code?.startsWith("23");
  return integrity ? error.constraint : undefined;
}

function databaseUnavailable(cause: Error): AnnalsError {
  return unavailable("The service's database cannot answer at the moment. Try again.", cause);
}
