// The statuses and bodies of errors of the admin API: the same types as those of the interface (interface 7).
// Called by api.ts. Any error without a kind is an internal one: the client gets a request id and no more.

import { AnnalsError, type ErrorKind } from "@annals/errors";

const ROWS: Partial<Record<ErrorKind, { status: number; type: string; code?: string }>> = {
  unauthenticated: { status: 401, type: "authentication_error", code: "unauthorized" },
  not_found: { status: 404, type: "not_found" },
  invalid: { status: 422, type: "validation_error" },
  unavailable: { status: 500, type: "server_error" },
};
const INTERNAL = { status: 500, type: "server_error" };

export function errorAnswer(error: unknown, requestId: string) {
  const known = error instanceof AnnalsError && ROWS[error.kind] ? error : undefined;
  const { status, ...named } = (known && ROWS[known.kind]) ?? INTERNAL;
  const message =
    known?.message ??
    `Something failed on our side. Name the request id ${requestId} when you report it.`;
  const details = known?.faults.length ? { details: known.faults } : {};
  return {
    status,
    headers: known?.retryAfterS === undefined ? {} : { "retry-after": String(known.retryAfterS) },
    body: { error: { ...named, message, ...details } },
    unexpected: known === undefined,
  };
}
