// `@annals/sdk/express`: middleware that gives every request the function `audit`.

import type { NextFunction, Request, RequestHandler, Response } from "express";
import {
  type Audit,
  auditOf,
  type RequestAuditOptions,
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
    request.audit = auditOf(annals, request, options, (from) => ({
      ip: from.ip,
      method: from.method,
      url: from.originalUrl,
      userAgent: from.get("user-agent"),
      requestId: from.get("x-request-id"),
    }));
    next();
  };
}
