// The whole system for a test: free ports, a directory of its own, any number of replicas, gone when stopped.

import { type Stack, type StackOptions, startStack } from "@annals/local";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type ConstellationOptions = Partial<
  Pick<
    StackOptions,
    "dataDir" | "replicas" | "rateLimitPerMinute" | "env" | "without" | "databaseUrl" | "natsUrl"
  >
>;

/** Starts it; `stop` ends every process and deletes the directory, unless one was given. */
export async function startConstellation(options: ConstellationOptions = {}): Promise<Stack> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "annals-test-")));
  return startStack({
    ...options,
    dataDir,
    isDisposable: options.dataDir === undefined,
    environment: inherited(),
  });
}

/** What a person has set for their own stack must not reach into a test. */
function inherited(): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("ANNALS_")),
  );
}
