// Guarantees: the admin API answers no client without its token, whatever is asked, and shows such a request
// not even which paths there are. With it, accounts, keys and plans are made, listed, changed and revoked as
// docs/operators/admin-api.md says, and a key works with the next request, or no more. Wrong requests name
// the field and change nothing. It is off by default. It lists and counts all accounts, so the system is the
// file's own.

import type { Stack } from "@annals/local";
import { HttpClient } from "@annals/testing";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { startConstellation } from "../system/constellation.ts";
import { metricOf } from "../system/metric-of.ts";
import {
  type AdminApi,
  adminApi,
  adminApiAt,
  type Answered,
  type Asked,
  bodyFor,
  UNKNOWN_ACCOUNT,
  PATHS,
  ROUTES,
} from "../system/admin-api-client.ts";

const TOKEN = "t".repeat(32);
const PLANS = {
  default: "free",
  plans: { free: { max_keys: 1, max_export_bytes: 7, monthly_events: 10 }, pro: {} },
};

let stack: Stack;
let call: AdminApi;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "annals-admin-"));
  afterAll(() => rm(folder, { recursive: true }));
  const file = (name: string) => join(folder, name);
  await writeFile(file("token"), `${TOKEN}\n`);
  await writeFile(file("plans"), JSON.stringify(PLANS));
  stack = await startConstellation({
    shared: inject("stack"),
    without: ["nats", "export", "webhook-dispatcher"],
    env: {
      keys: {
        ANNALS_ADMIN_API_TOKEN_FILE: file("token"),
        ANNALS_ADMIN_API_ADDRESS: "127.0.0.1:0",
        ANNALS_PLANS_FILE: file("plans"),
      },
    },
  });
  afterAll(() => stack.stop());
  call = adminApi(await adminApiAt(stack, TOKEN));
});

const get = (path: string) => call("GET", path);
const post = (path: string, body: unknown, headers?: Asked["headers"]) =>
  call("POST", path, { body, ...(headers && { headers }) });

async function newAccount(body: object = {}): Promise<Answered["body"]> {
  const { body: answer, status } = await post("/admin/v1/accounts", { name: "Tenant", ...body });
  expect(status).toBe(201);
  return answer.data;
}

describe("without the token", () => {
  test.each(PATHS)(
    "%s %s is 401, the same for none, a wrong one and most of it",
    async (method, path) => {
      const answers = await Promise.all(
        [undefined, "", "w".repeat(32), TOKEN.slice(1), `${TOKEN}t`, "w".repeat(4_000)].map(
          (token) => call(method, path, { token, ...bodyFor(method) }),
        ),
      );
      for (const { body, status } of answers) {
        expect(status).toBe(401);
        expect(body).toEqual({
          error: {
            type: "authentication_error",
            code: "unauthorized",
            message: "The token of the admin API is missing or wrong.",
          },
        });
      }
    },
  );

  test("requests are counted, and logged in few lines without what was sent", async () => {
    const url = stack.processes.find(({ service }) => service === "keys")?.adminUrl;
    const count = () =>
      metricOf(url, "annals_admin_api_requests_total", 'outcome="unauthenticated"');
    const before = await count();
    await Promise.all(
      Array.from({ length: 50 }, () => call("GET", UNKNOWN_ACCOUNT, { token: "secret-x" })),
    );
    expect(await count()).toBe(before + 50);
    const log = await readFile(join(stack.dataDir, "log/keys-1.log"), "utf8");
    const lines = log.split("\n").filter((line) => line.includes("admin request without a token"));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThan(20);
    expect(log).not.toContain("secret-x");
    expect(log).not.toContain(TOKEN);
  });
});

test("with the token every route is found, and nothing else is", async () => {
  for (const [method, path] of ROUTES) {
    const { body, status } = await call(method, path, bodyFor(method));
    const isOfNobody = path !== "/admin/v1/accounts" && path !== "/admin/v1/plans";
    expect([method, path, status]).toEqual([method, path, isOfNobody ? 404 : expect.any(Number)]);
    if (isOfNobody) expect(body.error.message).toMatch(/^No (account|API key) has the id/);
    else expect(status).toBeLessThan(300);
  }
  for (const [method, path] of [
    ["DELETE", "/admin/v1/accounts"],
    ["GET", "/admin/v1/accounts/"],
    ["GET", "/admin/v1/accounts/acct_%00"],
    ["GET", "/admin/v1/nothing"],
    ["GET", "//admin/v1/accounts"],
  ] as const) {
    const { body, status } = await call(method, path);
    expect([path, status]).toEqual([path, 404]);
    expect(body.error.message).toMatch(/^No route of the admin API matches/);
  }
});

describe("accounts and keys", () => {
  test("a new account's key works at once, and a revoked one no more", async () => {
    const account = await newAccount({ name: " Müller & Co ", plan: "pro", key_name: "ops" });
    expect(account).toMatchObject({ name: "Müller & Co", plan: "pro", live_keys: 1 });
    const { key } = account.first_key;
    const client = new HttpClient(stack.baseUrls[0] ?? "", key);
    expect(await client.get("/v1/api-keys")).toMatchObject({
      status: 200,
      body: { data: [{ id: account.first_key.id, name: "ops" }] },
    });
    const path = `/admin/v1/accounts/${account.id}`;
    const second = await post(`${path}/keys`, { name: "reader", scopes: ["verify", "verify"] });
    expect(second).toMatchObject({ status: 201, body: { data: { scopes: ["verify"] } } });
    expect(second.headers["cache-control"]).toBe("no-store");
    const listed = await get(`${path}/keys`);
    expect(listed.body.data).toHaveLength(2);
    expect(JSON.stringify(listed.body)).not.toContain(key);
    expect((await get(path)).body.data).toMatchObject({ id: account.id, live_keys: 2 });

    const gone = await call("DELETE", `/admin/v1/keys/${account.first_key.id}`);
    expect(gone).toMatchObject({ status: 204, body: undefined });
    expect((await client.get("/v1/api-keys")).status).toBe(401);
    expect((await call("DELETE", `/admin/v1/keys/${account.first_key.id}`)).status).toBe(404);
    client.close();
  });

  test("the same Idempotency-Key makes one account, also from several requests at once; its key is shown once", async () => {
    const header = { "idempotency-key": "tenant 42" };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => post("/admin/v1/accounts", { name: "Tenant 42" }, header)),
    );
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 200, 200, 201,
    ]);
    for (const { body, headers, status } of answers) {
      expect(body.data.first_key === null).toBe(status === 200);
      expect(headers["idempotent-replayed"]).toBe(status === 200 ? "true" : undefined);
    }
    const other = await post("/admin/v1/accounts", { name: "T" }, { "idempotency-key": "43" });
    expect(other.status).toBe(201);
  });

  test("name and plan are changed, one or both", async () => {
    const { id } = await newAccount();
    const path = `/admin/v1/accounts/${id}`;
    const patch = async (body: object) => (await call("PATCH", path, { body })).body.data;
    expect(await patch({ plan: "pro" })).toMatchObject({ name: "Tenant", plan: "pro" });
    expect(await patch({ name: "New" })).toMatchObject({ name: "New", plan: "pro" });
    expect(await patch({ name: "Newer", plan: null })).toMatchObject({ name: "Newer", plan: null });
  });

  test("the plan's limit of keys does not apply; plans are shown with their accounts", async () => {
    const { id } = await newAccount({ plan: "free" });
    expect((await post(`/admin/v1/accounts/${id}/keys`, { name: "second" })).status).toBe(201);
    const { body } = await get("/admin/v1/plans");
    expect(body.data).toMatchObject([
      { name: "free", default: true, max_keys: 1, max_export_bytes: 7, max_webhooks: 1_000 },
      {
        name: "pro",
        max_keys: 1_000,
        max_export_bytes: null,
        events_replayed_per_day: 100_000_000,
      },
    ]);
    expect(body.data[0].accounts).toBeGreaterThan(0);
  });

  test("lists come in pages that miss and repeat nothing", async () => {
    const made = await Promise.all(Array.from({ length: 7 }, () => newAccount()));
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const { body, status } = await get(
        `/admin/v1/accounts?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`,
      );
      expect(status).toBe(200);
      expect(body.data.length).toBeLessThanOrEqual(3);
      expect(body.has_more).toBe(body.next_cursor !== null);
      seen.push(...body.data.map((each: { id: string }) => each.id));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(expect.arrayContaining(made.map(({ id }) => id)));
    expect(new Set(seen).size).toBe(seen.length);
    expect((await get("/admin/v1/accounts?limit=100")).body.data).toHaveLength(seen.length);
  });
});

describe("a wrong request", () => {
  const ACCOUNTS = "/admin/v1/accounts";
  test.each<[string, string, string, Asked, string]>([
    ["no name", "POST", ACCOUNTS, { body: {} }, "name: is required"],
    ["a name that is none", "POST", ACCOUNTS, { body: { name: 7 } }, "name: must be a string"],
    ["a blank name", "POST", ACCOUNTS, { body: { name: " " } }, "name: must have 1 to 255"],
    ["256", "POST", ACCOUNTS, { body: { name: "n".repeat(256) } }, "name: must have 1 to 255"],
    [
      "a line break",
      "POST",
      ACCOUNTS,
      { body: { name: "a\nb" } },
      "name: must not contain control",
    ],
    ["no such plan", "POST", ACCOUNTS, { body: { name: "x", plan: "gold" } }, "plan: must be null"],
    ["unknown", "POST", ACCOUNTS, { body: { name: "x", nmae: "y" } }, "nmae: is unknown"],
    ["twice", "POST", ACCOUNTS, { body: '{"name":"a","name":"b"}' }, "name: "],
    ["no JSON", "POST", ACCOUNTS, { body: "{" }, "byte 1 of the body"],
    ["no object", "POST", ACCOUNTS, { body: "[]" }, "The body must be an object."],
    ["no body", "POST", ACCOUNTS, {}, "Content-Type: must be application/json"],
    ["large", "POST", ACCOUNTS, { body: `"${"x".repeat(16 * 1024)}"` }, "more than 16384 bytes"],
    [
      "long key",
      "POST",
      ACCOUNTS,
      {
        body: { name: "x" },
        headers: { "idempotency-key": "k".repeat(256) },
      },
      "Idempotency-Key: must have 1 to 255",
    ],
    [
      "two keys",
      "POST",
      ACCOUNTS,
      { body: { name: "x" }, headers: { "idempotency-key": ["k1", "k2"] } },
      "Idempotency-Key: is repeated",
    ],
    ["limit of keys", "GET", `${UNKNOWN_ACCOUNT}/keys?limit=101`, {}, "limit: must be an integer"],
    [
      "nothing to change",
      "PATCH",
      UNKNOWN_ACCOUNT,
      { body: {} },
      "must contain name, plan or both",
    ],
    ["no key name", "POST", `${UNKNOWN_ACCOUNT}/keys`, { body: {} }, "name: is required"],
    [
      "no scope",
      "POST",
      `${UNKNOWN_ACCOUNT}/keys`,
      { body: { name: "x", scopes: [] } },
      "scopes: must be",
    ],
    [
      "a scope",
      "POST",
      `${UNKNOWN_ACCOUNT}/keys`,
      { body: { name: "x", scopes: ["all"] } },
      "scopes: must",
    ],
    ["limit 0", "GET", `${ACCOUNTS}?limit=0`, {}, "limit: must be an integer from 1 to 100"],
    ["limit 101", "GET", `${ACCOUNTS}?limit=101`, {}, "limit: must be an integer from 1 to 100"],
    ["a cursor", "GET", `${ACCOUNTS}?cursor=x`, {}, "cursor: must be the"],
    ["a parameter", "GET", `${ACCOUNTS}?limti=1`, {}, "limti: is unknown"],
  ])("%s is 422 and changes nothing", async (_, method, path, asked, message) => {
    const count = async () => (await get("/admin/v1/accounts?limit=100")).body.data.length;
    const before = await count();
    const { body, status } = await call(method, path, asked);
    expect({ status, type: body.error.type }).toEqual({ status: 422, type: "validation_error" });
    expect(body.error.message).toContain(message);
    expect(await count()).toBe(before);
  });

  test("the longest name, body and idempotency key are taken", async () => {
    const name = "😀".repeat(255);
    const padding = " ".repeat(16 * 1024 - Buffer.byteLength(JSON.stringify({ name })));
    const { body, status } = await call("POST", ACCOUNTS, {
      body: JSON.stringify({ name }) + padding,
      headers: { "idempotency-key": "k".repeat(255) },
    });
    expect(status).toBe(201);
    expect(body.data.name).toBe(name);
  });
});
