// The HTTP response to an error, in the shape of the interface (7). Called by the two edges that know status
// codes, the gateway's and the admin API's, each with its own table. It must never show the text of an error
// that has no row.

import type { AnnalsError, ErrorKind, FieldFault } from "./annals-error.ts";

export interface ErrorBody {
  readonly error: {
    readonly type: string;
    readonly code?: string;
    readonly message: string;
    readonly details?: readonly FieldFault[];
  };
}

export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;
  /** Whether an operator should investigate it. */
  readonly unexpected: boolean;
}

export interface ErrorRow {
  readonly status: number;
  readonly type: string;
  readonly code?: string;
}

const INTERNAL: ErrorRow = { status: 500, type: "server_error" };

/** Any error without a row is an internal one: the client gets a request id and no more. */
export function errorResponseOf(
  known: AnnalsError | undefined,
  rows: { readonly [K in ErrorKind]?: ErrorRow | undefined },
  requestId: string,
): ErrorResponse {
  const row = known && rows[known.kind];
  const shown = row && known;
  const { status, ...named } = row ?? INTERNAL;
  const message =
    shown?.message ?? `Internal error. Include the request id ${requestId} when you report it.`;
  const details = shown?.faults.length ? { details: shown.faults } : {};
  return {
    status,
    headers: shown?.retryAfterS === undefined ? {} : { "retry-after": String(shown.retryAfterS) },
    body: { error: { ...named, message, ...details } },
    unexpected: !shown,
  };
}
