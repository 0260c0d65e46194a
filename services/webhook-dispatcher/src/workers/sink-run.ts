// Sends what a sink is to get. Called by the handler of tests. It must never report a success that did not
// happen.

import type { SinkTestResult } from "../domain/sink.ts";

/** Sends nothing and says so: this release has no receivers of sinks. */
export async function sendTest(): Promise<SinkTestResult> {
  return { success: false, error: "This release sends nothing to sinks yet." };
}
