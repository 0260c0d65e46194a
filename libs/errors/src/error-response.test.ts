// Guarantee: an error without a row, and anything unknown, is answered with a request id and
// nothing of its own; one with a row says its message, its faults and when to try again.

import { expect, test } from "vitest";
import { AnnalsError, invalid } from "./annals-error.ts";
import { errorResponseOf } from "./error-response.ts";

const ROWS = {
  invalid: { status: 422, type: "validation_error" },
  unavailable: { status: 500, type: "server_error" },
  internal: undefined,
} as const;
const SECRET = "relation ledger.events";

test.each([
  undefined,
  new AnnalsError("internal", SECRET, { retryAfterS: 1 }),
  new AnnalsError("permission_denied", SECRET),
])("an internal error shows a request id and nothing more", (error) => {
  const { body, headers, status, unexpected } = errorResponseOf(error, ROWS, "req_1");
  expect([status, headers, unexpected]).toEqual([500, {}, true]);
  expect(body.error.type).toBe("server_error");
  expect(body.error.message).toContain("req_1");
  expect(JSON.stringify(body)).not.toContain(SECRET);
});

test("an error with a row is shown", () => {
  const fault = { field: "limit", message: "must be from 1 to 100" };
  expect(errorResponseOf(invalid(fault), ROWS, "req_1")).toMatchObject({
    status: 422,
    body: { error: { type: "validation_error", details: [fault] } },
    unexpected: false,
  });
  const away = new AnnalsError("unavailable", "Try again.", { retryAfterS: 3 });
  expect(errorResponseOf(away, ROWS, "req_1")).toEqual({
    status: 500,
    headers: { "retry-after": "3" },
    body: { error: { type: "server_error", message: "Try again." } },
    unexpected: false,
  });
});
