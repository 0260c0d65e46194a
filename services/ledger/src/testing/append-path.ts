// The parts of the append path, for tests of the whole system that compose them with one left out. No service
// imports it.

export { checkAppend } from "../domain/check-append.ts";
export { prepareAppend } from "../domain/prepare-append.ts";
export { createMetrics } from "../metrics.ts";
export { AppendQueue } from "../append/append-queue.ts";
