// What an operator runs on a machine of their own. Called by the tests of restores and failovers.

import type { Stack } from "@annals/local";
import { runService } from "@annals/testing";

/** A verb of a service. */
export function runVerb(stack: Pick<Stack, "databaseUrl">, service: string, ...words: string[]) {
  return runService(service, words, { ANNALS_DATABASE_URL: stack.databaseUrl });
}
