// The interceptors of a server and of a client, in the one order that works: tracing outermost, then metrics,
// which see the status that is sent, then errors next to the handler. Called by serve.ts.

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

/** connectRpc itself translates errors, outside of these. */
export function clientInterceptors(deps: { readonly duration: CallDuration }): Interceptor[] {
  return [clientTracing(), callMetrics(deps.duration)];
}
