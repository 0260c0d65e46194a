// Measures and logs every request: one duration and one line of the access log, named after the route. Counts
// what is read for the operator's audit.

import { Holder } from "@annals/proto/admission";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Metrics } from "../metrics.ts";
import type { ReadAudit } from "../reads/read-audit.ts";
import type { Reader } from "../reads/read-counts.ts";
import type { AccessLog } from "./access-log.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether the route reads data of the account, which the operator's audit counts. */
    isRead?: boolean;
  }
}

export function observeRequests(
  app: FastifyInstance,
  { requestDuration }: Metrics,
  accessLog: AccessLog,
  reads: Pick<ReadAudit, "record"> | undefined,
): void {
  // One series per set of labels: finding it in the histogram costs more than the observation.
  const series = new Map<string, { observe(seconds: number): void }>();
  const seriesOf = (method: string, route: string, status: string) => {
    const name = `${status} ${method} ${route}`;
    const known = series.get(name) ?? requestDuration.labels(method, route, status);
    series.set(name, known);
    return known;
  };
  app.addHook("onResponse", (request, reply, next) => {
    const route = request.routeOptions.url ?? "unmatched";
    seriesOf(request.method, route, String(reply.statusCode)).observe(reply.elapsedTime / 1000);
    accessLog.record({
      requestId: request.id,
      method: request.method,
      route,
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
      caller: request.caller,
    });
    if (reads && request.routeOptions.config.isRead) recordRead(reads, route, request, reply);
    next();
  });
}

const READERS = {
  [Holder.UNSPECIFIED]: "api_key",
  [Holder.PERSON]: "person",
  [Holder.WORKLOAD]: "workload",
} as const satisfies Readonly<Record<Holder, Reader>>;

const readerOf = ({ holder, widget }: NonNullable<FastifyRequest["admission"]>): Reader =>
  widget ? "widget_token" : READERS[holder];

/** A request that was not admitted has read nothing: keys records how many there were. */
function recordRead(
  reads: Pick<ReadAudit, "record">,
  route: string,
  { admission }: FastifyRequest,
  { statusCode }: FastifyReply,
): void {
  if (!admission) return;
  const { accountId, ip, keyId } = admission;
  const isFailed = statusCode >= 400;
  reads.record({ accountId, keyId, reader: readerOf(admission), route, ip, isFailed });
}
