// `@annals/sdk/hono`: middleware that gives every request the function `audit`, and all events that are
// tracked in it who made it and from where.

import type { Context, MiddlewareHandler } from "hono";
import { within } from "./context-storage.ts";
import {
  type Audit,
  auditOf,
  type RequestAuditOptions,
  sourceOf,
  type TracksEvents,
} from "./request-audit.ts";

export type { Audit, RequestAuditOptions, TracksEvents } from "./request-audit.ts";

declare module "hono" {
  interface ContextVariableMap {
    audit: Audit;
  }
}

export interface AnnalsAuditOptions extends RequestAuditOptions<Context> {
  /**
   * The address of the client, which each runtime has elsewhere:
   * `(c) => getConnInfo(c).remote.address`. By default none is recorded.
   */
  readonly ip?: (c: Context) => string | undefined;
}

/** `app.use(annalsAudit(annals, { actor }))`, and in a handler `c.var.audit(...)`. */
export function annalsAudit(
  annals: TracksEvents,
  options: AnnalsAuditOptions = {},
): MiddlewareHandler {
  return async (c, next) => {
    const source = sourceOf(c, options, (from) => ({
      ip: options.ip?.(from),
      method: from.req.method,
      url: from.req.path,
      userAgent: from.req.header("user-agent"),
      requestId: requestIdOf(from),
    }));
    c.set("audit", auditOf(annals, source));
    await within({ source }, next);
  };
}

/** The one that Hono's own middleware has made or checked, if it runs. */
function requestIdOf(c: Context<{ Variables: { requestId?: string } }>): string | undefined {
  return c.get("requestId") ?? c.req.header("x-request-id");
}
