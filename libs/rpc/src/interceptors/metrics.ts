// Records the duration of every call in a histogram, on either end. Called by stacks.ts. The labels are a
// closed set: services, methods, gRPC statuses.

import type { Interceptor } from "@connectrpc/connect";
import { followCall, statusName, verbNoun } from "./follow-call.ts";

const MS_PER_S = 1_000;

/** A prom-client Histogram with these label names. */
export interface CallDuration {
  observe(
    labels: { rpc_service: string; rpc_method: string; rpc_response_status_code: string },
    seconds: number,
  ): void;
}

/**
 * For a server or a client. It is outside of the errors interceptor, so it sees the status that is sent.
 */
export function callMetrics(duration: CallDuration): Interceptor {
  return (next) => (request) => {
    const startedAt = performance.now();
    const record = (error?: unknown): void => {
      const labels = {
        rpc_service: request.service.typeName,
        rpc_method: verbNoun(request.method),
        rpc_response_status_code: statusName(error),
      };
      duration.observe(labels, (performance.now() - startedAt) / MS_PER_S);
    };
    return followCall(next, request, {
      succeeded: () => record(),
      failed(error) {
        record(error);
        return error;
      },
    });
  };
}
