// `@annals/sdk/nest`: an interceptor that gives all events that are tracked in a handler who made the request
// and from where, and that records handlers by itself, with their outcome.

import type { CallHandler, ExecutionContext, NestInterceptor } from "@nestjs/common";
import { Observable, tap } from "rxjs";
import { within } from "./context-storage.ts";
import { type Outcome, timed } from "./outcome.ts";
import {
  auditOf,
  called,
  type Origin,
  type RequestAuditOptions,
  sourceOf,
  type TracksEvents,
} from "./request-audit.ts";
import type { NewEvent } from "./types.ts";

export type { RequestAuditOptions, TracksEvents } from "./request-audit.ts";

export interface InterceptorOptions extends RequestAuditOptions<ExecutionContext> {
  /**
   * The event of a handler, recorded when it ends, with `outcome` and `duration_ms` in its metadata. By
   * default, and if it is undefined, a handler is not recorded by itself.
   */
  readonly event?: (context: ExecutionContext) => NewEvent | undefined;
}

/** What is used of a request of Express and of Fastify. */
interface HttpRequest {
  readonly ip?: string;
  readonly method: string;
  readonly url: string;
  readonly originalUrl?: string;
  readonly id?: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** `app.useGlobalInterceptors(new AnnalsInterceptor(annals, { actor }))` */
export class AnnalsInterceptor implements NestInterceptor {
  readonly #annals: TracksEvents;
  readonly #options: InterceptorOptions;

  constructor(annals: TracksEvents, options: InterceptorOptions = {}) {
    this.#annals = annals;
    this.#options = options;
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const source = sourceOf(context, this.#options, originOf);
    const event = called("event", () => this.#options.event?.(context));
    const audit = auditOf(this.#annals, source);
    const end = event && timed(event);
    const record = (outcome: Outcome) => () => {
      if (end) called("event", () => audit(event.action, end(outcome)));
    };
    const ends = tap({
      complete: record("success"),
      error: record("failure"),
      // The client of a stream has left.
      unsubscribe: record("unknown"),
    });
    return new Observable((subscriber) =>
      within({ source }, () => next.handle().pipe(ends).subscribe(subscriber)),
    );
  }
}

/** Undefined for a handler of messages or of GraphQL. */
function originOf(context: ExecutionContext): Origin | undefined {
  if (context.getType() !== "http") return undefined;
  const { headers, id, ip, method, originalUrl, url } = context
    .switchToHttp()
    .getRequest<HttpRequest>();
  return {
    ip,
    method,
    url: originalUrl ?? url,
    userAgent: textOf(headers["user-agent"]),
    requestId: textOf(id) ?? textOf(headers["x-request-id"]),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
