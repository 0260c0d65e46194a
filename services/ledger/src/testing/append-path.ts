// The append path in one place, for tests of the whole system that compose it anew, with parts
// taken away. No service imports it: services meet over RPC.

export { prepareAppend } from "../domain/prepare-append.ts";
export { createMetrics } from "../metrics.ts";
export { AppendQueue } from "../append/append-queue.ts";
