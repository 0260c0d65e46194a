// Sends what a sink is to get. Called by the handler of tests; the worker of sinks will be here, too.

import { unavailable } from "@annals/errors";

/** Refuses, because this release sends nothing to sinks yet. */
export async function sendTest(): Promise<never> {
  throw unavailable("Sinks cannot be tested yet.");
}
