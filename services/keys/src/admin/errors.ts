// The statuses and bodies of errors of the admin API: the same types as those of the interface (interface 4).
// Called by api.ts. Any error without a kind is an internal one: the client gets a request id and no more.

import {
  AnnalsError,
  answerOf,
  type ErrorAnswer,
  type ErrorKind,
  type ErrorRow,
} from "@annals/errors";

const ROWS: Partial<Record<ErrorKind, ErrorRow>> = {
  unauthenticated: { status: 401, type: "authentication_error", code: "unauthorized" },
  not_found: { status: 404, type: "not_found" },
  invalid: { status: 422, type: "validation_error" },
  unavailable: { status: 500, type: "server_error" },
};

export function errorAnswer(error: unknown, requestId: string): ErrorAnswer {
  return answerOf(error instanceof AnnalsError ? error : undefined, ROWS, requestId);
}
