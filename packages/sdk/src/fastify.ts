// `@annals/sdk/fastify`: a plugin that gives every request the function `audit`, and all events that are
// tracked in it who made it and from where. Closing the server does not close the client: it may have others.

import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Source, within } from "./context-storage.ts";
import {
  type Audit,
  auditOf,
  type RequestAuditOptions,
  sourceOf,
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
  const sources = new WeakMap<FastifyRequest, Source>();
  app.decorateRequest("audit");
  app.addHook("onRequest", (request, _reply, next) => {
    const source = sourceOf(request, options, (from) => ({
      ip: from.ip,
      method: from.method,
      url: from.url,
      userAgent: from.headers["user-agent"],
      requestId: from.id,
    }));
    sources.set(request, source);
    request.audit = auditOf(annals, source);
    within({ source }, next);
  });
  // Fastify goes on from an event of the connection once it has read the body.
  app.addHook("preValidation", (request, _reply, next) => {
    const source = sources.get(request);
    if (source) within({ source }, next);
    else next();
  });
  done();
}

// Fastify's own name for: of the whole server, and not only of what this plugin registers.
Object.assign(annalsAudit, { [Symbol.for("skip-override")]: true });
