// Runs the `migrate` verb of the services before any of them serves. Called by stack.ts. It must never
// continue after a failed migration.

import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { SERVICES, type ServiceName } from "./services.ts";
import { serviceArguments, serviceEnvironment, type Surroundings } from "./service-process.ts";
import { logFrom, logSize, logTail, WRONG_SETTINGS } from "./supervised-process.ts";
import { exitCode } from "./outcomes.ts";

/** A migration may rewrite a large table; after this time it is taken to hang. Milliseconds. */
const MIGRATION_TIMEOUT_MS = 10 * 60_000;

/**
 * Brings every schema up to date, in parallel: each service has its own. Throws with the log of one that
 * failed, or with the faults of its settings.
 */
export async function migrate(
  services: readonly ServiceName[],
  around: Surroundings,
  bootstrapKey: string,
  signal: AbortSignal,
): Promise<void> {
  const migrating = services.filter((service) => SERVICES[service].migrates);
  await Promise.all(migrating.map((service) => migrateOne(service, around, bootstrapKey, signal)));
}

async function migrateOne(
  service: ServiceName,
  around: Surroundings,
  bootstrapKey: string,
  signal: AbortSignal,
): Promise<void> {
  const file = around.directory.log(`${service}-migrate.log`);
  const env = {
    ...serviceEnvironment(service, around),
    // Only keys needs it: it makes the first account and its first key.
    ...(service === "keys" ? { ANNALS_BOOTSTRAP_KEY: bootstrapKey } : {}),
    ...around.overrides.every,
    ...around.overrides[service],
  };
  const logStart = logSize(file);
  const log = openSync(file, "a", 0o640);
  const child = spawn(process.execPath, serviceArguments(service, "migrate"), {
    cwd: around.root,
    env,
    stdio: ["ignore", log, log],
    signal: AbortSignal.any([signal, AbortSignal.timeout(MIGRATION_TIMEOUT_MS)]),
  });
  closeSync(log);
  const code = await exitCode(child);
  if (code === WRONG_SETTINGS) throw new Error(logFrom(file, logStart));
  if (code !== 0)
    throw new Error(`the migration of ${service} failed; the end of ${file}:\n${logTail(file)}`);
}
