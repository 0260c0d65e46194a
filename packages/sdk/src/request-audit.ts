// Who, what and from where: makes an event of an action in a request. Shared by the middleware. It must never
// record headers that hold credentials, nor the query of the URL.

import {
  type ActiveContext,
  activeContext,
  filled,
  type Source,
  within,
} from "./context-storage.ts";
import type { Actor, NewEvent } from "./types.ts";

/** What of {@link Annals} the middleware needs. */
export interface TracksEvents {
  track(event: NewEvent): boolean;
}

export interface RequestAuditOptions<Request> {
  /**
   * Who makes the request; undefined if no user is logged in. Called when an event is recorded, after the
   * login.
   */
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

/** What the events of a request get. A callback that throws leaves its part out, which is logged. */
export function sourceOf<Request>(
  request: Request,
  options: RequestAuditOptions<Request>,
  originOf: (request: Request) => Origin | undefined,
): Source {
  return {
    actor: () => called("actor", () => options.actor?.(request)),
    context: () => ({
      ...called("origin", () => membersOf(originOf(request))),
      ...called("context", () => options.context?.(request)),
    }),
  };
}

export function auditOf(annals: TracksEvents, source: Source): Audit {
  return (action, event = {}) => {
    const here = activeContext();
    // Called from elsewhere, such as by what several requests share, it is still of its request.
    return trackAs(annals, { ...event, action }, here?.source === source ? here : { source });
  };
}

/** Tracks an event with what was set somewhere, and with nothing of what is set here. */
export function trackAs(
  annals: TracksEvents,
  event: NewEvent,
  active: ActiveContext | undefined,
): boolean {
  const complete = active ? filled(event, active) : event;
  return within(undefined, () => annals.track(complete));
}

function membersOf(origin: Origin | undefined): Record<string, unknown> {
  if (origin === undefined) return {};
  const { ip, method, requestId, url, userAgent } = origin;
  return {
    ...(ip !== undefined && { ip }),
    ...(userAgent !== undefined && { user_agent: userAgent }),
    ...(requestId !== undefined && { request_id: requestId }),
    method,
    path: url.split("?", 1)[0],
  };
}

/** What a callback of the application returns. One that throws is logged, and changes nothing else. */
export function called<Result>(name: string, call: () => Result): Result | undefined {
  try {
    return call();
  } catch (error) {
    logUnread(name, error);
    return undefined;
  }
}

export function logUnread(name: string, error: unknown): void {
  // oxlint-disable-next-line no-console -- an event would lack its actor without a word
  console.error(`annals: the ${name} of a request could not be read: ${String(error)}`);
}
