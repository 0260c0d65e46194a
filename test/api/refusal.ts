// What every refusal has in common (interface 3 and 4): the error shape, its type and code, and the
// rate-limit headers.

import { StatusSchema } from "@annals/proto/otlp";
import type { Answer } from "@annals/testing";
import { fromBinary } from "@bufbuild/protobuf";
import { expect } from "vitest";

/** The table of section 4 of the interface: which statuses a type may have. */
const STATUSES: Readonly<Record<string, readonly number[]>> = {
  authentication_error: [401],
  scope_error: [403],
  plan_feature_unavailable: [403],
  plan_limit_exceeded: [403, 429],
  not_found: [404],
  validation_error: [422],
  rate_limit_exceeded: [429],
  server_error: [500],
};

const CODES: Readonly<Record<string, string>> = {
  authentication_error: "unauthorized",
  scope_error: "forbidden",
};

type Seen = Pick<Answer, "status" | "headers" | "body">;

/** Routes whose clients read google.rpc.Status, and statuses of OTLP, in place of the interface's errors. */
export const READS_STATUS: readonly string[] = ["store-otlp-logs"];

/** The code of gRPC that goes with a status of HTTP. */
const GRPC_CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  413: 3,
  429: 8,
  503: 14,
};

/** Fails unless `answer` is a refusal of such a route, in JSON. */
export function expectStatus(
  { body, headers, status }: Seen,
  wanted: number,
  message: string | RegExp = /\S/,
): void {
  expect(body).toEqual({ code: GRPC_CODES[wanted], message: expect.stringMatching(message) });
  expect(status).toBe(wanted);
  expect(headers["content-type"]).toBe("application/json; charset=utf-8");
  expectLimitShown(headers);
}

/** The same in protobuf. */
export function expectProtobufStatus(
  { bytes, headers, status }: Pick<Answer, "bytes" | "headers" | "status">,
  wanted: number,
): void {
  expect(status).toBe(wanted);
  expect(headers["content-type"]).toBe("application/x-protobuf");
  expectLimitShown(headers);
  const { code, message } = fromBinary(StatusSchema, bytes ?? Buffer.alloc(0));
  expect(code).toBe(GRPC_CODES[wanted]);
  expect(message).toMatch(/\S/);
}

/**
 * Fails unless `answer` is a refusal of this type; `field` is what a 422 must name, `message` is
 * matched whole.
 */
export function expectRefused(
  { status, headers, body }: Seen,
  type: string,
  named: { readonly field?: string; readonly message?: string | RegExp } = {},
): void {
  expect(body).toMatchObject({ error: { type } });
  expect(STATUSES[type]).toContain(status);
  expect(Object.keys(body)).toEqual(["error"]);
  expect(body.error.code).toBe(CODES[type]);
  expect(body.error.message).toMatch(/\S/);
  expect(headers["content-type"]).toBe("application/json; charset=utf-8");
  expectLimitShown(headers);
  if (type !== "validation_error") {
    expect(body.error).not.toHaveProperty("details");
  } else {
    const [{ field, message }] = body.error.details;
    expect(body.error.message).toBe(field === "" ? message : `${field}: ${message}`);
    if (named.field !== undefined) expect(field).toBe(named.field);
  }
  if (typeof named.message === "string") expect(body.error.message).toBe(named.message);
  else if (named.message) expect(body.error.message).toMatch(named.message);
}

/** The headers that every response has. */
export function expectLimitShown(headers: Answer["headers"]): void {
  expect(headers["x-ratelimit-limit"]).toMatch(/^[1-9]\d*$/);
  expect(headers["x-ratelimit-remaining"]).toMatch(/^\d+$/);
}
