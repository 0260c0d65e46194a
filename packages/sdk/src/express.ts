// `@annals/sdk/express`: middleware that gives every request the function `audit`, and all events that are
// tracked in it who made it and from where.

import type { NextFunction, Request, RequestHandler, Response } from "express";
import { within } from "./context-storage.ts";
import {
  type Audit,
  auditOf,
  type RequestAuditOptions,
  sourceOf,
  type TracksEvents,
} from "./request-audit.ts";

export type { Audit, RequestAuditOptions, TracksEvents } from "./request-audit.ts";

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- how the types of Express are extended
  namespace Express {
    interface Request {
      audit: Audit;
    }
  }
}

export function annalsAudit(
  annals: TracksEvents,
  options: RequestAuditOptions<Request> = {},
): RequestHandler {
  return (request: Request, _response: Response, next: NextFunction) => {
    const source = sourceOf(request, options, (from) => ({
      ip: from.ip,
      method: from.method,
      url: from.originalUrl,
      userAgent: from.get("user-agent"),
      requestId: from.get("x-request-id"),
    }));
    request.audit = auditOf(annals, source);
    within({ source }, next);
  };
}
