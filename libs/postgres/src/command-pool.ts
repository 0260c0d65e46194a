// The pool of an operator's command: few connections with the role of the service, closed when the work is
// done. Called by the services' commands. A failure that an operator can act on becomes one sentence without
// a stack.

import type { ConfigOf, databaseSettings, Logger } from "@annals/chassis";
import { CommandError, UsageError } from "@annals/cli";
import { AnnalsError } from "@annals/errors";
import { createPool, type Pool } from "./pool.ts";
import { roleWith } from "./roles.ts";

export interface CommandPoolOptions {
  readonly config: Pick<
    ConfigOf<typeof databaseSettings>,
    "databaseRolePrefix" | "databaseStatementTimeoutMs" | "databaseUrl"
  >;
  /** Name of the role with the default prefix. */
  readonly role: string;
  readonly applicationName: string;
  readonly log: Logger;
  /** One by default. */
  readonly maxConnections?: number;
}

/** Runs `work` with a pool and closes it. Throws a UsageError for what was not found or is invalid. */
export async function withCommandPool<T>(
  options: CommandPoolOptions,
  work: (database: Pool) => Promise<T>,
): Promise<T> {
  const { applicationName, config, log, maxConnections = 1 } = options;
  const role = roleWith(config.databaseRolePrefix, options.role);
  const database = createPool({
    connectionString: config.databaseUrl,
    role,
    applicationName,
    maxConnections,
    statementTimeoutMs: config.databaseStatementTimeoutMs,
    log,
  });
  try {
    return await work(database);
  } catch (error) {
    throw forOperator(error, role);
  } finally {
    await database.close();
  }
}

/**
 * SQLSTATEs of a wrong password or login, a login that may not take on the role, a missing role, database,
 * schema or table.
 */
const WRONG_DATABASE: ReadonlySet<unknown> = new Set(
  "28P01 28000 42501 22023 3D000 3F000 42P01".split(" "),
);

function forOperator(error: unknown, role: string): unknown {
  if (!(error instanceof Error)) return error;
  if ("code" in error && WRONG_DATABASE.has(error.code)) {
    return new CommandError(
      `${error.message}: ANNALS_DATABASE_URL must be a migrated database and a login that may switch to ${role} ` +
        "(ANNALS_DATABASE_ROLE_PREFIX begins its name)",
    );
  }
  if (!(error instanceof AnnalsError)) return error;
  if (error.kind === "not_found" || error.kind === "invalid") return new UsageError(error.message);
  if (error.kind !== "unavailable") return new CommandError(error.message);
  const reason = error.cause instanceof Error ? reasonOf(error.cause) : "no reason given";
  return new CommandError(`ANNALS_DATABASE_URL: the database does not respond (${reason})`);
}

/** Returns why a connection failed. After several addresses, Node has the reasons in `errors` only. */
export function reasonOf(cause: Error): string {
  return cause instanceof AggregateError
    ? cause.errors.map((each: Error) => each.message).join(", ")
    : cause.message;
}
