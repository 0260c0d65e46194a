// Times every call into a histogram, on either end. The histogram is the one of metrics.ts; its labels are
// closed: our services, their methods, the gRPC statuses.

import type { Interceptor } from "@connectrpc/connect";
import { followCall, statusName, verbNoun } from "./follow-call.ts";

const MS_PER_S = 1_000;

/** What a prom-client Histogram with these label names is. */
export interface CallDuration {
  observe(
    labels: { rpc_service: string; rpc_method: string; rpc_response_status_code: string },
    seconds: number,
  ): void;
}

/** For a server or a client; outside the errors interceptor, so that it sees the status that goes out. */
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
