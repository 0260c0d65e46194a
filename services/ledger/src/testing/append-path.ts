// The parts of the append path, and retention, for tests of the whole system that compose them with one left
// out, or with a clock of their own. No service imports it.

export { checkAppend } from "../append/rules/check-append.ts";
export { prepareAppend } from "../append/rules/prepare-append.ts";
export { createMetrics } from "../metrics.ts";
export { AppendQueue } from "../append/append-queue.ts";
export { Retention } from "../retention/worker/retention.ts";
