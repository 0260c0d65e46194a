// The interceptors of a server and of a client, in the one order that works: tracing sees all, metrics see
// the status that goes out, errors stand next to the handler. Called by serve.ts.

import type { Interceptor } from "@connectrpc/connect";
import type { Logger } from "@annals/chassis";
import { serverErrors } from "./errors.ts";
import { type CallDuration, callMetrics } from "./metrics.ts";
import { clientTracing, serverTracing } from "./tracing.ts";

export function serverInterceptors(deps: {
  readonly log: Pick<Logger, "error" | "warn">;
  readonly duration: CallDuration;
}): Interceptor[] {
  return [serverTracing(), callMetrics(deps.duration), serverErrors(deps.log)];
}

/** Errors are translated by connectRpc itself, outside of these. */
export function clientInterceptors(deps: { readonly duration: CallDuration }): Interceptor[] {
  return [clientTracing(), callMetrics(deps.duration)];
}
