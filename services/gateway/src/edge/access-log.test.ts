// Guarantees: failed and slow requests are a line by default, all or none as set. A flood of requests without
// a key neither fills the log nor hides the requests of those who have one.

import { expect, test } from "vitest";
import { ACCESS_LOGS } from "../config.ts";
import { type Access, AccessLog } from "./access-log.ts";

const CALLER = { accountId: "acct_1", keyId: "key_1" };
const FINE: Access = {
  requestId: "req_1",
  method: "GET",
  route: "/v1/events",
  status: 200,
  durationMs: 12.345,
  caller: CALLER,
};

function opened(accessLog: (typeof ACCESS_LOGS)[number] = "failures") {
  const lines: Record<string, unknown>[] = [];
  const log = { info: (fields: Record<string, unknown>) => void lines.push(fields) } as never;
  const access = new AccessLog({ log, accessLog });
  const record = (...given: Partial<Access>[]) =>
    given.forEach((each) => access.record({ ...FINE, ...each }));
  return { lines, record };
}

test("failures are a line with who, what and how long, and others are none", () => {
  const { lines, record } = opened();
  record(...[200, 201, 204, 404, 422].map((status) => ({ status })));
  expect(lines).toEqual([]);
  record(...[401, 403, 429, 500].map((status) => ({ status })));
  expect(lines.map(({ status }) => status)).toEqual([401, 403, 429, 500]);
  expect(lines[0]).toEqual({
    request_id: "req_1",
    method: "GET",
    route: "/v1/events",
    status: 401,
    duration_ms: 12.3,
    account_id: "acct_1",
    key_id: "key_1",
  });
});

test("a request that took longer than the bound is a line, whatever its status", () => {
  const { lines, record } = opened();
  record({ durationMs: 1_000 }, { durationMs: 1_000.1 }, { durationMs: 2_000, status: 422 });
  expect(lines.map(({ status }) => status)).toEqual([200, 422]);
});

test("all makes every request a line, none makes none", () => {
  const many = Array.from({ length: 500 }, () => ({}));
  const all = opened("all");
  all.record(...many, { status: 500 });
  expect(all.lines).toHaveLength(501);
  const none = opened("none");
  none.record(...many, { status: 500 }, { durationMs: 9_000 });
  expect(none.lines).toEqual([]);
});

test.each(ACCESS_LOGS.slice(0, 2))(
  "%s: a flood without a key is bounded and does not hide what has one",
  (accessLog) => {
    const { lines, record } = opened(accessLog);
    record(...Array.from({ length: 1_000 }, () => ({ status: 401, caller: undefined })));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThanOrEqual(40);
    lines.length = 0;
    record({ status: 403 });
    expect(lines).toMatchObject([{ status: 403, key_id: "key_1" }]);
  },
);
