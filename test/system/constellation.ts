// The whole system for a test: free ports, a directory of its own, any number of replicas, gone when stopped.
// Called by flows, faults, the benchmark and the global setup. It must never touch another stack's data.

import { type Stack, type StackOptions, startStack } from "@annals/local";
import { createMigratedDatabase, serviceProgram, type SharedStack } from "@annals/testing";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noteTurns } from "./longest-turns.ts";

export interface ConstellationOptions extends Partial<
  Pick<
    StackOptions,
    | "dataDir"
    | "replicas"
    | "rateLimitPerMinute"
    | "env"
    | "without"
    | "databaseUrl"
    | "isMigrated"
    | "natsUrl"
    | "postgresBinaries"
  >
> {
  /**
   * `inject("stack")`: it takes a migrated database on the PostgreSQL of the test run and starts none, which
   * saves a second and a half. Not for tests that stop or cut off PostgreSQL, nor for its bootstrap key.
   */
  readonly shared?: SharedStack;
}

/** All tests come from one address, and many send no valid key. */
const UNBOUNDED = { ANNALS_UNAUTHENTICATED_PER_SECOND: "1000000" };

/** Tests break chains, count verifications, and measure. */
const UNVERIFIED = { ANNALS_VERIFY_INTERVAL_HOURS: "0" };

/**
 * Tests that poll use the default up within seconds, and would then wait for the end of the minute. Tests
 * of the limit set one.
 */
const RATE_LIMIT_PER_MINUTE = 1_000_000;

/** Starts it; `stop` ends every process and deletes its data, unless a directory was given. */
export async function startConstellation({
  shared,
  ...options
}: ConstellationOptions = {}): Promise<Stack> {
  if (shared === undefined) return start(options);
  const database = await createMigratedDatabase(shared.databaseUrl);
  const stack = await start({ ...options, databaseUrl: database.url, isMigrated: true });
  const stop = stack.stop.bind(stack);
  return Object.assign(stack, {
    stop: async (force?: boolean) => {
      await stop(force);
      await database.drop();
    },
  });
}

async function start(options: Omit<ConstellationOptions, "shared">): Promise<Stack> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "annals-test-")));
  const stack = await startStack({
    rateLimitPerMinute: RATE_LIMIT_PER_MINUTE,
    ...options,
    env: {
      ...options.env,
      gateway: { ...UNBOUNDED, ...options.env?.gateway },
      ledger: { ...UNVERIFIED, ...options.env?.ledger },
    },
    dataDir,
    isDisposable: options.dataDir === undefined,
    environment: inherited(),
    entryFile: serviceProgram,
  });
  const turnsFile = process.env["ANNALS_TEST_TURNS"];
  if (turnsFile === undefined) return stack;
  const stop = stack.stop.bind(stack);
  return Object.assign(stack, {
    stop: async (force?: boolean) => {
      await noteTurns(turnsFile, stack);
      await stop(force);
    },
  });
}

/** What a person has set for their own stack must not reach into a test. */
function inherited(): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("ANNALS_")),
  );
}
