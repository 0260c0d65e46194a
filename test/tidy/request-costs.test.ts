// Guarantee: each route of v1.ts, and each RPC that a service calls as itself, has a case in the test of what
// requests cost, with a bound, or says what bounds it if no request makes it. The fault suite measures them.

import { V1 } from "@annals/gateway/src/v1.ts";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../deploy/generate/sources.ts";
import { COST_CASES, isWidget, MAX_WIDGET_MS, RPC_WORK } from "../faults/request-cases.ts";

const ROUTES = V1.map(([method, path]) => `${method} ${path}`);
/** Those that answer RPCs. */
const SERVICES = ["export", "keys", "ledger", "webhook-dispatcher"] as const;
/** Pages that need no key. */
const PUBLIC = / \(public\)$/;

test("every route has a case, and every case a route", () => {
  const measured = new Set(COST_CASES.map(({ route }) => route));
  expect(ROUTES.filter((route) => !measured.has(route))).toEqual([]);
  const others = [...measured].filter((route) => !ROUTES.includes(route) && !PUBLIC.test(route));
  expect(others).toEqual([]);
});

test("every case has a bound and a name of its own", () => {
  const names = COST_CASES.map(({ what }) => what);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  for (const each of COST_CASES) {
    expect(each.maxMs, each.what).toBeGreaterThan(0);
    if (isWidget(each)) expect(each.maxMs, each.what).toBeLessThanOrEqual(MAX_WIDGET_MS);
  }
});

test("every RPC that a service calls as itself has a case, or says what bounds it", async () => {
  const called = (await Promise.all(SERVICES.map(calledAsItself))).flat();
  expect(called.length).toBeGreaterThan(20);
  expect(Object.keys(RPC_WORK).toSorted()).toEqual(called.toSorted());
  const names = new Set(COST_CASES.map(({ what }) => what));
  const unknown = Object.values(RPC_WORK).flatMap((of) =>
    typeof of === "string" ? [] : of.filter((what) => !names.has(what)),
  );
  expect(unknown).toEqual([]);
});

async function calledAsItself(service: string): Promise<string[]> {
  const path = join(ROOT, "services", service, "src/access.ts");
  const { ACCESS } = (await import(/* @vite-ignore */ path)) as { readonly ACCESS: object };
  return Object.entries(ACCESS).flatMap(([rpc, callers]: [string, object]) =>
    Object.values(callers).includes("itself") ? [`${service}.${rpc}`] : [],
  );
}
