// One small stack for the whole test run: a gateway, keys, a ledger, on free ports, with a rate
// limit that no test meets by accident. Tests of the API use it, each with accounts of its own;
// other tests use only its PostgreSQL. What kills or restarts anything starts a constellation of
// its own.

import type { SharedStack } from "@annals/testing";
import { startConstellation } from "./constellation.ts";
import type { TestProject } from "vitest/node";

/** Of the shared stack; tests of the limit itself start their own. */
const RATE_LIMIT_PER_MINUTE = 100_000;

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stack = await startConstellation({ rateLimitPerMinute: RATE_LIMIT_PER_MINUTE });
  const shared: SharedStack = {
    baseUrl: stack.baseUrls[0] ?? "",
    databaseUrl: stack.databaseUrl,
    natsUrl: stack.natsUrl,
  };
  project.provide("stack", shared);
  return () => stack.stop();
}
