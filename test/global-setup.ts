// What a test run starts once: a small stack (one process of each service on free ports, with a rate limit
// that no test reaches by accident), a template database with every schema, and the systems that files share,
// each when the first file asks. Tests of the API use the stack, each with accounts of its own; other tests
// use its PostgreSQL. What kills or restarts anything starts a constellation of its own.

import { createTemplate, ownerOf, type SharedStack } from "@annals/testing";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { startWithProvider } from "./system/identity-file.ts";
import { migrateSchemas } from "./system/schemas.ts";
import { SharedSystems } from "./system/shared-kinds.ts";

/** Of the shared stack; tests of the limit itself start their own. */
const RATE_LIMIT_PER_MINUTE = 100_000;

/** Tests of the log wait for the epoch that covers their events. */
const EPOCH_S = "1";

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stack = await startWithProvider({
    rateLimitPerMinute: RATE_LIMIT_PER_MINUTE,
    env: { ledger: { ANNALS_LOG_EPOCH_S: EPOCH_S } },
  });
  await createTemplate(stack.databaseUrl, migrateSchemas);
  await relax(stack.databaseUrl);
  const shared: SharedStack = {
    baseUrl: stack.baseUrls[0] ?? "",
    databaseUrl: stack.databaseUrl,
    natsUrl: stack.natsUrl,
    exportDirectory: `${stack.dataDir}/exports`,
  };
  project.provide("stack", shared);
  const systems = await SharedSystems.open({
    stack,
    shared,
    ledgers: project.getProvidedContext().form.ledgers,
  });
  project.provide("sharedSystems", systems.url);
  return async () => {
    await systems.close();
    await stack.stop();
  };
}

/**
 * No test stops this PostgreSQL, and its data goes with the run: nothing waits for the disk or is written
 * twice, and thousands of connections need no slow password. Tests that are about statistics make them
 * themselves.
 */
async function relax(databaseUrl: string): Promise<void> {
  const owner = ownerOf(databaseUrl);
  for (const setting of ["fsync", "full_page_writes", "autovacuum"])
    await owner.query(`ALTER SYSTEM SET ${setting} = off`);
  await owner.query("SELECT pg_reload_conf()");
  const password = pg.escapeLiteral(decodeURIComponent(new URL(databaseUrl).password));
  await owner.query(
    `SET scram_iterations = 1; ALTER ROLE CURRENT_USER PASSWORD ${password}; RESET scram_iterations`,
  );
  await owner.close();
}
