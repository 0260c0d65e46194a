// The one error of the SDK: an error response of the service, or why no response came. Thrown by every call.
// It must never hold the API key, nor an event.

/** The types of the interface; the last two are those of a call without a response. */
export type ErrorType =
  | "authentication_error"
  | "scope_error"
  | "plan_feature_unavailable"
  | "plan_limit_exceeded"
  | "not_found"
  | "validation_error"
  | "rate_limit_exceeded"
  | "server_error"
  | "connection_error"
  | "timeout_error";

export interface ErrorDetail {
  /** Such as `events[3].actor.id`. */
  readonly field: string;
  readonly message: string;
}

interface Known {
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly details?: readonly ErrorDetail[] | undefined;
  readonly isUnsent?: boolean;
  readonly cause?: unknown;
}

export class AnnalsError extends Error {
  override readonly name = "AnnalsError";
  readonly type: ErrorType;
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined;
  /** Quote it when you report a problem. */
  readonly requestId: string | undefined;
  /** The service asks to wait this long. */
  readonly retryAfterMs: number | undefined;
  /** The fields of the request that are wrong, and why. */
  readonly details: readonly ErrorDetail[];
  /** Nothing of the request was written, such as after a refused connection. It had no effect. */
  readonly isUnsent: boolean;

  constructor(type: ErrorType, message: string, known: Known = {}) {
    super(message, { cause: known.cause });
    this.type = type;
    this.status = known.status;
    this.requestId = known.requestId;
    this.retryAfterMs = known.retryAfterMs;
    this.details = known.details ?? [];
    this.isUnsent = known.isUnsent ?? false;
  }

  /**
   * Whether it is an error of the SDK, and of one of these types if any are named. Each entry of the package
   * has its own copy of this class, so the name decides.
   */
  static is(error: unknown, ...types: readonly ErrorType[]): error is AnnalsError {
    if (!(error instanceof Error) || error.name !== "AnnalsError") return false;
    return types.length === 0 || types.includes((error as AnnalsError).type);
  }
}

/** Types by status, for a response that does not come from the service: from a proxy, for example. */
const TYPES: Readonly<Record<number, ErrorType>> = {
  400: "validation_error",
  401: "authentication_error",
  403: "scope_error",
  404: "not_found",
  408: "timeout_error",
  413: "validation_error",
  422: "validation_error",
  429: "rate_limit_exceeded",
};

const OF_THE_SERVICE: ReadonlySet<string> = new Set<ErrorType>([
  "authentication_error",
  "scope_error",
  "plan_feature_unavailable",
  "plan_limit_exceeded",
  "not_found",
  "validation_error",
  "rate_limit_exceeded",
  "server_error",
]);

/** The error that a response says; `text` is its body, `now` the time in milliseconds since 1970. */
export function errorOf({ status, headers }: Response, text: string, now: number): AnnalsError {
  const { type, message, details } = bodyOf(text);
  return new AnnalsError(
    OF_THE_SERVICE.has(String(type)) ? (type as ErrorType) : (TYPES[status] ?? "server_error"),
    typeof message === "string" ? message : `the response has the status ${status}`,
    {
      status,
      requestId: headers.get("x-request-id") ?? undefined,
      retryAfterMs: delayOf(headers.get("retry-after"), now),
      details: Array.isArray(details) ? (details as ErrorDetail[]) : [],
    },
  );
}

function bodyOf(text: string): { type?: unknown; message?: unknown; details?: unknown } {
  try {
    // A route for clients of OpenTelemetry has the message next to a gRPC code.
    const { error, message } = JSON.parse(text) as { error?: object; message?: unknown };
    return error ?? { message };
  } catch {
    return {};
  }
}

/** Retry-After is a number of seconds or, from a proxy, a date. */
function delayOf(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const seconds = Number(header);
  const delay = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - now;
  return Number.isFinite(delay) ? Math.max(0, delay) : undefined;
}
