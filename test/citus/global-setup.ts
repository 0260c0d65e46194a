// What a test run over Citus starts once: a cluster, a template database with every schema distributed over
// its workers, and the small stack of test/global-setup.ts on a copy of it. A system of a test has a database
// of its own on each server, because workers of a shared one would take each other's jobs.

import type { Stack } from "@annals/local";
import {
  createMigratedDatabase,
  createTemplate,
  NODES_VARIABLE,
  type SharedStack,
  TEMPLATE,
} from "@annals/testing";
import type { TestProject } from "vitest/node";
import { startConstellation } from "../system/constellation.ts";
import { distributeOver, type Node, refusalsOf, runOn, startNode } from "./cluster.ts";

const WORKERS = 2;
const RATE_LIMIT_PER_MINUTE = 100_000;
/** Tests wait for epochs. */
const EPOCH_S = "1";

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const citusRoot = process.env["CITUS_ROOT"] ?? "";
  const nodes = await Promise.all(Array.from({ length: 1 + WORKERS }, () => startNode(citusRoot)));
  const stop = async () => {
    for (const node of nodes) await node.stop();
  };
  try {
    const stack = await startShared(nodes);
    project.provide("stack", {
      baseUrl: stack.baseUrls[0] ?? "",
      databaseUrl: stack.databaseUrl,
      natsUrl: stack.natsUrl,
      exportDirectory: `${stack.dataDir}/exports`,
    } satisfies SharedStack);
    return async () => {
      await stack.stop();
      // A ledger tries the statement for several chains once. The others are statements of tests.
      for (const [reason, count] of await refusalsOf(nodes[0]!))
        process.stdout.write(`the coordinator refused ${count} statements: ${reason}\n`);
      await stop();
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startShared(nodes: readonly Node[]): Promise<Stack> {
  const [coordinator, ...workers] = nodes;
  if (coordinator === undefined) throw new Error("a cluster has a coordinator");
  process.env[NODES_VARIABLE] = workers.map(({ url }) => url).join(" ");
  await createTemplate(coordinator.url, () => distributeOver(nodes, TEMPLATE));
  for (const node of nodes) await closeTemplate(node);
  const database = await createMigratedDatabase(coordinator.url);
  return startConstellation({
    databaseUrl: database.url,
    isMigrated: true,
    rateLimitPerMinute: RATE_LIMIT_PER_MINUTE,
    env: { ledger: { ANNALS_LOG_EPOCH_S: EPOCH_S } },
  });
}

/** Ends what Citus runs in the template, which could not be copied meanwhile. */
async function closeTemplate(node: Node): Promise<void> {
  await runOn(node, "postgres", `ALTER DATABASE ${TEMPLATE} ALLOW_CONNECTIONS false`);
  await runOn(
    node,
    "postgres",
    `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${TEMPLATE}'`,
  );
}
