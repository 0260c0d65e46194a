// `@annals/sdk/fastify`: a plugin that gives every request the function `audit`. Closing the server does not
// close the client: it may have others.

import type { FastifyInstance, FastifyRequest } from "fastify";
import {
  type Audit,
  auditOf,
  type RequestAuditOptions,
  type TracksEvents,
} from "./request-audit.ts";

export type { Audit, RequestAuditOptions, TracksEvents } from "./request-audit.ts";

declare module "fastify" {
  interface FastifyRequest {
    audit: Audit;
  }
}

export interface AnnalsAuditOptions extends RequestAuditOptions<FastifyRequest> {
  readonly annals: TracksEvents;
}

/** `app.register(annalsAudit, { annals, actor })` */
export function annalsAudit(
  app: FastifyInstance,
  { annals, ...options }: AnnalsAuditOptions,
  done: () => void,
): void {
  app.decorateRequest("audit");
  app.addHook("onRequest", (request, _reply, next) => {
    request.audit = auditOf(annals, request, options, (from) => ({
      ip: from.ip,
      method: from.method,
      url: from.url,
      userAgent: from.headers["user-agent"],
      requestId: from.id,
    }));
    next();
  });
  done();
}

// Fastify's own name for: of the whole server, and not only of what this plugin registers.
Object.assign(annalsAudit, { [Symbol.for("skip-override")]: true });
