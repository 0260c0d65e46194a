// `@annals/sdk/next`: gives all events that are tracked in a route handler or a server action of Next.js who
// made the request and from where, and sends them after the response. Nothing of Next.js is imported: the
// application gives the two functions of it that this needs.

import { context } from "./context.ts";
import { called, logUnread, type TracksEvents } from "./request-audit.ts";
import type { Actor } from "./types.ts";

export type { TracksEvents } from "./request-audit.ts";

/** What of {@link Annals} this needs. */
export interface SendsEvents extends TracksEvents {
  flush(): Promise<void>;
}

export interface RequestHeaders {
  get(name: string): string | null;
}

export interface NextAuditOptions {
  /** `headers` of `next/headers`. */
  readonly headers: () => Promise<RequestHeaders>;
  /** `after` of `next/server`. */
  readonly after: (task: () => Promise<void>) => void;
  /** Who makes the request. Called before the handler; undefined if no user is logged in. */
  readonly actor?: (headers: RequestHeaders) => Actor | undefined | Promise<Actor | undefined>;
  /** Added to the context of every event of the request. */
  readonly context?: (headers: RequestHeaders) => Record<string, unknown>;
  /**
   * The address of the client, of a header that your proxy sets: a client can send any other. By default
   * none is recorded.
   */
  readonly ip?: (headers: RequestHeaders) => string | null | undefined;
}

/** Wraps a route handler or a server action. */
export type Audited = <Values extends unknown[], Result>(
  handler: (...values: Values) => Result | Promise<Result>,
) => (...values: Values) => Promise<Result>;

export function annalsAudit(annals: SendsEvents, options: NextAuditOptions): Audited {
  return (handler) =>
    async (...values) => {
      const [first] = values;
      const request = first instanceof Request ? first : undefined;
      const headers = request?.headers ?? (await options.headers());
      const here = {
        actor: await actorOf(headers, options),
        context: contextOf(headers, request, options),
      };
      try {
        return await context(here, async () => handler(...values));
      } finally {
        // After what the handler has given to after(), so that its events are sent, too.
        options.after(() => annals.flush());
      }
    };
}

/** A callback that fails leaves the actor out, which is logged. What has a digest is meant for Next.js. */
async function actorOf(
  headers: RequestHeaders,
  { actor }: NextAuditOptions,
): Promise<Actor | undefined> {
  try {
    return await actor?.(headers);
  } catch (error) {
    if (typeof (error as { digest?: unknown } | undefined)?.digest === "string") throw error;
    logUnread("actor", error);
    return undefined;
  }
}

function contextOf(
  headers: RequestHeaders,
  request: Request | undefined,
  options: NextAuditOptions,
): Record<string, unknown> {
  const ip = called("ip", () => options.ip?.(headers));
  const userAgent = headers.get("user-agent");
  const requestId = headers.get("x-request-id");
  return {
    ...(ip && { ip }),
    ...(userAgent && { user_agent: userAgent }),
    ...(requestId && { request_id: requestId }),
    ...(request && { method: request.method, path: new URL(request.url).pathname }),
    ...called("context", () => options.context?.(headers)),
  };
}
