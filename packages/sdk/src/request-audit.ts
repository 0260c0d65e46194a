// Who, what and from where: makes an event of an action in a request. Shared by fastify.ts and express.ts. It
// must never record headers that hold credentials, nor the query of the URL.

import type { Actor, NewEvent } from "./types.ts";

/** What of {@link Annals} the middleware needs. */
export interface TracksEvents {
  track(event: NewEvent): boolean;
}

export interface RequestAuditOptions<Request> {
  /** Who makes the request; undefined if no user is logged in. */
  readonly actor?: (request: Request) => Actor | undefined;
  /** Added to the context of every event of the request. */
  readonly context?: (request: Request) => Record<string, unknown>;
}

/** Records an action of the request. False if the buffer dropped it. */
export type Audit = (action: string, event?: Omit<NewEvent, "action">) => boolean;

/** What of a request is recorded. */
export interface Origin {
  readonly ip: string | undefined;
  readonly method: string;
  readonly url: string;
  readonly userAgent: string | undefined;
  readonly requestId: string | undefined;
}

export function auditOf<Request>(
  annals: TracksEvents,
  request: Request,
  options: RequestAuditOptions<Request>,
  originOf: (request: Request) => Origin,
): Audit {
  return (action, event = {}) => {
    const { ip, method, requestId, url, userAgent } = originOf(request);
    const actor = event.actor ?? options.actor?.(request);
    const context = {
      ...(ip !== undefined && { ip }),
      ...(userAgent !== undefined && { user_agent: userAgent }),
      ...(requestId !== undefined && { request_id: requestId }),
      method,
      path: url.split("?", 1)[0],
      ...options.context?.(request),
      ...event.context,
    };
    return annals.track({ ...event, action, ...(actor && { actor }), context });
  };
}
