// One line for each request that failed or was slow, or for all or none, as set. Called by observe.ts when a
// response was sent, and for requests that were refused before that. A line must never have a query, a header
// or a body, and a flood of refused requests must not fill the log.

import { BoundedLog, type Logger } from "@annals/chassis";
import type { ACCESS_LOGS } from "../config.ts";

export interface Access {
  readonly requestId: string;
  readonly method: string | undefined;
  /** The pattern, such as `/v1/events/:id`. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  /** Whose key it was; absent if none was admitted or known. */
  readonly caller?: Caller | undefined;
}

export interface Caller {
  readonly accountId: string;
  /** Id of the API key, or of the widget token. */
  readonly keyId: string;
  /** The viewer that a widget token names, if it names one. */
  readonly widget?: { readonly viewerId: string } | undefined;
}

export interface AccessLogOptions {
  readonly log: Logger;
  readonly accessLog: (typeof ACCESS_LOGS)[number];
}

/** Duration above which a request is slow. */
const SLOW_REQUEST_MS = 1_000;

/** Limit for failed and slow requests with a known key; those without one have the limit of BoundedLog. */
const KNOWN_LINES_PER_S = 100;

export class AccessLog {
  readonly #options: AccessLogOptions;
  /** Apart, so that a flood of requests without a key does not hide the others. */
  readonly #anonymous: BoundedLog;
  readonly #ofKeys: BoundedLog;

  constructor(options: AccessLogOptions) {
    this.#options = options;
    this.#anonymous = new BoundedLog(options.log);
    this.#ofKeys = new BoundedLog(options.log, { linesPerS: KNOWN_LINES_PER_S });
  }

  record(access: Access): void {
    const { accessLog, log } = this.#options;
    if (accessLog === "none") return;
    const { caller, durationMs, method, requestId, route, status } = access;
    const isKept = isFailure(status) || durationMs > SLOW_REQUEST_MS;
    if (accessLog === "failures" && !isKept) return;
    const fields = {
      request_id: requestId,
      method,
      route,
      status,
      duration_ms: Math.round(durationMs * 10) / 10,
      ...(caller && { account_id: caller.accountId, key_id: caller.keyId }),
      ...(caller?.widget?.viewerId && { viewer_id: caller.widget.viewerId }),
    };
    if (caller === undefined) this.#anonymous.write("info", fields, MESSAGE);
    else if (accessLog === "failures") this.#ofKeys.write("info", fields, MESSAGE);
    else log.info(fields, MESSAGE);
  }
}

const MESSAGE = "request";

function isFailure(status: number): boolean {
  return status === 401 || status === 403 || status === 429 || status >= 500;
}
