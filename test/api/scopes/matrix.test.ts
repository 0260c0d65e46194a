// Each operation needs a key, and exactly the scope of its row in v1.ts, whatever other scopes the key holds
// (interface 1 and 2). A 403 names the missing scope and does nothing. Each row is asked with a key of its
// scope alone and with one of all others; the check itself meets every subset of the scopes. Rows for widget
// tokens take no key at all, and rows for any key take every one.

import { Holder } from "@annals/proto/admission";
import { ANY_KEY, SCOPES, type Scope, WIDGET } from "@annals/contract";
import { requireScope } from "@annals/gateway/src/admission/require-scope.ts";
import { V1 } from "@annals/gateway/src/v1.ts";
import { HttpClient, newAccount, newKey } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { expectRefused, expectStatus, READS_STATUS } from "../refusal.ts";

const { baseUrl, databaseUrl } = inject("stack");
const account = await newAccount(databaseUrl);
const client = new HttpClient(baseUrl);

/** All 32, from none to all five. */
const SUBSETS: readonly Scope[][] = Array.from({ length: 2 ** SCOPES.length }, (_, bits) =>
  SCOPES.filter((__, place) => bits & (1 << place)),
);
const NONE: readonly Scope[] = [];

const OF_WIDGETS = V1.filter((row) => row[2] === WIDGET);
const OF_ANY_KEY = V1.filter((row) => row[2] === ANY_KEY);
const ROWS = V1.flatMap((row) =>
  row[2] === WIDGET || row[2] === ANY_KEY ? [] : [{ row, name: row[3], scope: row[2] }],
);

afterAll(() => client.close());

test("there are 32 subsets, and every row needs a known scope", () => {
  expect(new Set(SUBSETS.map(String)).size).toBe(32);
  expect(V1.length).toBeGreaterThanOrEqual(11);
  for (const { scope } of ROWS) expect(SCOPES).toContain(scope);
  expect(ROWS.length + OF_WIDGETS.length + OF_ANY_KEY.length).toBe(V1.length);
});

const missing = (scope: Scope) => `This operation needs a key with the scope ${scope}.`;

/**
 * Asks for something that is not there, with a body that is not complete: what passes admission
 * fails after it.
 */
async function send([method, path]: (typeof V1)[number], key?: string) {
  const hasBody = ["POST", "PATCH", "PUT"].includes(String(method));
  const url = `/v1${path.replaceAll(/:\w+/g, "none")}`;
  return client.as(key).send(String(method), url, hasBody ? { body: {} } : {});
}

describe("without a key", () => {
  test.each(V1.map((row) => ({ row, name: row[3] })))("$name", async ({ row }) => {
    const answer = await send(row);
    if (READS_STATUS.includes(row[3])) expectStatus(answer, 401);
    else expectRefused(answer, "authentication_error");
  });
});

describe("with a key of all scopes, for a widget token", () => {
  test.each(OF_WIDGETS.map((row) => ({ row, name: row[3] })))("$name", async ({ row }) => {
    expectRefused(await send(row, account.key), "authentication_error");
  });
});

describe.each(SCOPES)("%s", (scope) => {
  const others = SCOPES.filter((other) => other !== scope);
  let alone: string;
  let without: string;

  beforeAll(async () => {
    ({ key: alone } = await newKey(databaseUrl, account.accountId, [scope]));
    ({ key: without } = await newKey(databaseUrl, account.accountId, others));
  });

  test.each(ROWS.filter((row) => row.scope === scope))("$name needs it alone", async (tried) => {
    expect([200, 201, 404, 422]).toContain((await send(tried.row, alone)).status);
    const answer = await send(tried.row, without);
    if (READS_STATUS.includes(tried.name)) {
      expectStatus(answer, 403, missing(scope));
    } else {
      expectRefused(answer, "scope_error", { message: missing(scope) });
      expect(answer.body.error.code).toBe("forbidden");
    }
  });

  test("the check asks for it whatever else a key holds", () => {
    for (const scopes of SUBSETS) {
      const check = () => requireScope({ scopes, holder: Holder.UNSPECIFIED }, scope);
      if (scopes.includes(scope)) check();
      else expect(check).toThrow(missing(scope));
    }
  });

  test.each(OF_ANY_KEY.map((row) => ({ row, name: row[3] })))(
    "$name takes a key of it alone",
    async ({ row }) => {
      expect((await send(row, alone)).status).toBe(200);
    },
  );
});

test.each(OF_ANY_KEY.map((row) => ({ row, name: row[3] })))(
  "$name takes no widget token",
  async ({ row }) => {
    const { body } = await client.as(account.key).post("/v1/widget-tokens", {});
    expectRefused(await send(row, body.data.token), "authentication_error");
  },
);

describe("no scope at all", () => {
  test("is a key that neither the interface nor the database takes", async () => {
    const answer = await client.as(account.key).post("/v1/api-keys", { name: "x", scopes: NONE });
    expectRefused(answer, "validation_error", { field: "scopes" });
    await expect(newKey(databaseUrl, account.accountId, NONE)).rejects.toThrow("scopes_check");
  });
});
