// Guarantees: a token of a workload is registered with keys when keys does not know it, once for all requests
// that wait, and asked for each time; what keys refuses is a 401, and a failure to verify is not. It has
// the windows and the addresses of a key. The token itself goes to keys in that call alone.

import { ComparedClock, MAX_WORKLOAD_TOKEN } from "@annals/contract";
import { AnnalsError, unavailable } from "@annals/errors";
import { Holder } from "@annals/proto/admission";
import { AdmitRequestsResponseSchema, RateWindow } from "@annals/proto/keys";
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { Unauthenticated } from "../edge/unauthenticated.ts";
import { Admissions } from "./admissions.ts";

const WORKLOAD = {
  accountId: "acct_1",
  keyId: "wkl_1",
  holder: Holder.WORKLOAD,
  scopes: ["events:write"],
  admitted: 9,
  remaining: 91,
  windowEndsInS: 60,
  accountWindow: { limit: 6_000, used: 9 },
  plan: {},
  statement: "s",
};

function opened(admission: object = WORKLOAD) {
  const calls: Record<string, unknown>[] = [];
  const registered: string[] = [];
  const state = { isKnown: false, failure: undefined as AnnalsError | undefined };
  const unauthenticated = new Unauthenticated({
    budget: { isOver: () => false },
    onRefused: () => {},
  });
  const admitRequests = async ({ groups = [] }: { groups?: unknown[] }) => {
    calls.push(...(groups as Record<string, unknown>[]));
    const admissions = groups.map(() => (state.isKnown ? admission : {}));
    return create(AdmitRequestsResponseSchema, { admissions, limit: 100 });
  };
  const registerWorkloadToken = async ({ token = "" }) => {
    registered.push(token);
    await Promise.resolve();
    if (state.failure) throw state.failure;
    state.isKnown = true;
    return {} as never;
  };
  const keys = { admitRequests, registerWorkloadToken };
  const admissions = new Admissions(keys, unauthenticated, new ComparedClock());
  const request = { address: "::1", ip: "192.0.2.7", requestId: "req_1", isWidget: false };
  const admit = (token: string, more: { window?: RateWindow; isWidget?: boolean } = {}) =>
    admissions.admit(`Bearer ${token}`, { ...request, ...more, body: { complete: true } });
  const again = (token: string) => admissions.readmit(`Bearer ${token}`, request);
  return { admit, again, calls, registered, state };
}

const TOKEN = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln";

test("is registered when keys does not know it, and then asked for each time", async () => {
  const { admit, calls, registered } = opened();
  expect(await admit(TOKEN)).toMatchObject({ keyId: "wkl_1", holder: Holder.WORKLOAD, limit: 100 });
  await admit(TOKEN, { window: RateWindow.INTAKE });
  expect(registered).toEqual([TOKEN]);
  const one = { isWorkloadToken: true, isAccessToken: false, isWidgetToken: false, ahead: 0 };
  const addresses = [{ address: "192.0.2.7", count: 1 }];
  expect(calls).toMatchObject([
    { ...one, count: 1, addresses },
    { ...one, count: 1, addresses },
    { ...one, window: RateWindow.INTAKE },
  ]);
  expect(JSON.stringify(calls)).not.toContain(TOKEN);
});

test("is registered once for all requests that wait", async () => {
  const { admit, registered } = opened();
  await Promise.all(Array.from({ length: 9 }, () => admit(TOKEN)));
  expect(registered).toEqual([TOKEN]);
});

test("is registered again while its request goes on, without a second count", async () => {
  const { admit, again, calls, registered, state } = opened();
  await admit(TOKEN);
  state.isKnown = false;
  await again(TOKEN);
  expect(registered).toHaveLength(2);
  expect(calls.slice(2)).toMatchObject([{ count: 0 }, { count: 0 }]);
});

test.each([
  ["unauthenticated", new AnnalsError("unauthenticated", "x")],
  ["unavailable", unavailable("x")],
  ["rate_limited", new AnnalsError("rate_limited", "x")],
])("is refused as keys refuses it: %s", async (kind, failure) => {
  const { admit, state } = opened();
  state.failure = failure;
  const message = expect.stringContaining(kind === "unauthenticated" ? "no workload" : "x");
  await expect(admit(TOKEN)).rejects.toMatchObject({ kind, message });
});

test.each([
  ["two parts", "a.b"],
  ["four parts", "a.b.c.d"],
  ["an empty part", "a..c"],
  ["another alphabet", "a.b.c+"],
  ["more than 4,096 characters", `${"a".repeat(MAX_WORKLOAD_TOKEN)}.b.c`],
])("with %s is no token, and keys is not asked", async (_, text) => {
  const { admit, calls, registered } = opened();
  await expect(admit(text)).rejects.toMatchObject({ kind: "unauthenticated" });
  expect([calls, registered]).toEqual([[], []]);
});

test("with 4,096 characters is one", async () => {
  const { admit } = opened();
  const text = `${"a".repeat(MAX_WORKLOAD_TOKEN - 4)}.b.c`;
  expect(await admit(text)).toMatchObject({ keyId: "wkl_1" });
});

test("is none on a widget route", async () => {
  const { admit, calls } = opened();
  await expect(admit(TOKEN, { isWidget: true })).rejects.toMatchObject({ kind: "unauthenticated" });
  expect(calls).toEqual([]);
});

test("beyond its window, and from elsewhere, is told of the workload", async () => {
  const limited = opened({ ...WORKLOAD, admitted: 0 });
  await expect(limited.admit(TOKEN)).rejects.toThrow("100 requests per minute for this token");
  const elsewhere = opened({ ...WORKLOAD, allowedIps: ["198.51.100.1"] });
  await expect(elsewhere.admit(TOKEN)).rejects.toThrow("This workload may not be used from");
});
