// Runs the `migrate` verb of the services before any of them serves. Called by stack.ts. It must never
// continue after a failed migration.

import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { SERVICES, type ServiceName } from "./services.ts";
import { serviceArguments, serviceEnvironment, type StackContext } from "./service-process.ts";
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
  context: StackContext,
  bootstrapKey: string,
  signal: AbortSignal,
): Promise<void> {
  const migrating = services.filter((service) => SERVICES[service].migrates);
  await Promise.all(migrating.map((service) => migrateOne(service, context, bootstrapKey, signal)));
}

async function migrateOne(
  service: ServiceName,
  context: StackContext,
  bootstrapKey: string,
  signal: AbortSignal,
): Promise<void> {
  const file = context.directory.log(`${service}-migrate.log`);
  const env = {
    ...serviceEnvironment(service, context),
    // Only keys needs it: it makes the first account and its first key.
    ...(service === "keys" ? { ANNALS_BOOTSTRAP_KEY: bootstrapKey } : {}),
    ...context.overrides.every,
    ...context.overrides[service],
  };
  const logStart = logSize(file);
  const log = openSync(file, "a", 0o640);
  const child = spawn(process.execPath, serviceArguments(service, "migrate", context), {
    cwd: context.root,
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
