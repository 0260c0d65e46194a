// The parts of the append path, and retention, for tests of the whole system that compose them with one left
// out, or with a clock of their own. No service imports it.

export { checkAppend } from "../domain/check-append.ts";
export { prepareAppend } from "../domain/prepare-append.ts";
export { createMetrics } from "../metrics.ts";
export { AppendQueue } from "../append/append-queue.ts";
export { Retention } from "../workers/retention.ts";
