// POST /v1/api-keys makes a key that works at once, and shows the whole key in this one answer
// (interface 5).

import { SCOPES } from "@annals/contract";
import { eventually, newClient, newKey } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { storeKeys } from "../../system/many.ts";
import { expectLimitShown, expectRefused } from "../refusal.ts";
import { BAD_JSON, BAD_NAMES, BAD_RESTRICTIONS, BAD_SCOPES } from "./bad-bodies.ts";

const stack = inject("stack");
const { databaseUrl } = stack;
const account = await newClient(stack);
const { client } = account;
const PATH = "/v1/api-keys";

describe("201", () => {
  test("answers with exactly the members of section 5 of the interface, in their shapes", async () => {
    const { status, headers, body } = await client.post(PATH, {
      name: "deploy",
      scopes: ["verify"],
    });
    expect(status).toBe(201);
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    expectLimitShown(headers);
    expect(Object.keys(body)).toEqual(["data"]);
    const { data } = body;
    expect(Object.keys(data)).toEqual(["id", "name", "key", "key_prefix", "scopes", "created_at"]);
    expect(data.id).toMatch(/^key_[0-9a-z]{26}$/);
    expect(data.name).toBe("deploy");
    expect(data.key).toMatch(/^annals_sk_[0-9A-Za-z]{46}$/);
    expect(data.key_prefix).toBe(`${data.key.slice(0, 14)}...${data.key.slice(-2)}`);
    expect(data.scopes).toEqual(["verify"]);
    expect(data.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(Math.abs(Date.parse(data.created_at) - Date.now())).toBeLessThan(60_000);
  });

  test("the new key works at once, with its scopes and no others", async () => {
    const { data } = (await client.post(PATH, { name: "verifier", scopes: ["verify"] })).body;
    const created = client.as(data.key);
    expect((await created.get("/v1/verify")).status).toBe(200);
    expectRefused(await created.get(PATH), "scope_error");
  });

  test("gives all five scopes by default", async () => {
    const { data } = (await client.post(PATH, { name: "all" })).body;
    expect(data.scopes).toEqual(SCOPES);
  });

  test("keeps a repeated scope once, in the order of section 2 of the interface", async () => {
    const scopes = ["verify", "events:read", "verify", "events:read"];
    const { data } = (await client.post(PATH, { name: "twice", scopes })).body;
    expect(data.scopes).toEqual(["events:read", "verify"]);
  });

  test("with an expiry and addresses shows both in their one spelling, and works from there", async () => {
    const expiresAt = new Date(Date.now() + 3_600_000);
    const { status, body } = await client.post(PATH, {
      name: "restricted",
      expires_at: expiresAt.toISOString().replace("Z", "+00:00"),
      allowed_ips: ["2001:DB8:0::/32", "127.0.0.1/32", "::ffff:127.0.0.1", "::1"],
    });
    expect(status).toBe(201);
    const shown = {
      expires_at: expiresAt.toISOString().replace("Z", "000Z"),
      allowed_ips: ["2001:db8::/32", "127.0.0.1", "::1"],
    };
    expect(body.data).toMatchObject(shown);
    const { data } = (await client.get(PATH)).body;
    expect(data.find(({ id }: { id: string }) => id === body.data.id)).toMatchObject(shown);
    expect((await client.as(body.data.key).get("/v1/verify")).status).toBe(200);
  });

  test("may be restricted to the limits themselves", async () => {
    const body = {
      name: "limits",
      expires_at: new Date(Date.now() + 3_650 * 86_400_000 - 60_000).toISOString(),
      allowed_ips: Array.from({ length: 50 }, (_, n) => `192.0.2.${n}`),
    };
    const { status, body: created } = await client.post(PATH, body);
    expect(status).toBe(201);
    expect(created.data.allowed_ips).toEqual(body.allowed_ips);
  });

  test("for other addresses is refused with 403, uncounted, without a word of the list", async () => {
    const body = { name: "elsewhere", allowed_ips: ["192.0.2.7", "::/0"] };
    const { data } = (await client.post(PATH, body)).body;
    const elsewhere = client.as(data.key);
    for (const path of ["/v1/events", "/v1/usage"]) {
      const answer = await elsewhere.get(path);
      expectRefused(answer, "scope_error", {
        message: "This API key may not be used from the address of this request.",
      });
      expect(answer.headers["x-ratelimit-remaining"]).toBe(answer.headers["x-ratelimit-limit"]);
      expect(answer.text).not.toContain("192.0.2");
    }
    const write = await elsewhere.post("/v1/events", { action: "user.login" });
    expectRefused(write, "scope_error");
    await client.patch(`${PATH}/${data.id}`, { name: "here", allowed_ips: null });
    const { headers } = await elsewhere.get("/v1/events");
    const limit = Number(headers["x-ratelimit-limit"]);
    expect(Number(headers["x-ratelimit-remaining"])).toBe(limit - 1);
  });

  test("with an expiry is like a revoked key from then on", async () => {
    const expiresAt = new Date(Date.now() + 1_000).toISOString();
    const { data } = (await client.post(PATH, { name: "short", expires_at: expiresAt })).body;
    const short = client.as(data.key);
    expect((await short.get("/v1/usage")).status).toBe(200);
    const refused = await eventually("it has expired", async () => {
      const answer = await short.get("/v1/usage");
      return answer.status !== 200 && answer;
    });
    expectRefused(refused, "authentication_error");
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
    const listed = (await client.get(PATH)).body.data.map(({ id }: { id: string }) => id);
    expect(listed).not.toContain(data.id);
    expectRefused(await client.patch(`${PATH}/${data.id}`, { name: "x" }), "not_found");
    expectRefused(await client.delete(`${PATH}/${data.id}`), "not_found");
  });

  test("may grant scopes that the caller lacks", async () => {
    const manager = await newKey(databaseUrl, account.accountId, ["keys:manage"]);
    const { status, body } = await client.as(manager.key).post(PATH, { name: "more" });
    expect(status).toBe(201);
    expect(body.data.scopes).toEqual(SCOPES);
  });

  test.each([
    ["trims the name", "  \u2003deploy \t\n", "deploy"],
    ["keeps spaces inside", "a  b", "a  b"],
    ["takes one character", "x", "x"],
    ["takes 255 characters", "n".repeat(255), "n".repeat(255)],
    ["takes 255 after trimming", ` ${"n".repeat(255)} `, "n".repeat(255)],
    ["counts an emoji as one character", "🔑".repeat(255), "🔑".repeat(255)],
    ["takes quotes, markup and any script", `"'<b>\\ é 鍵 ‏مفتاح`, `"'<b>\\ é 鍵 ‏مفتاح`],
  ])("%s", async (_, name, kept) => {
    const { status, body } = await client.post(PATH, { name });
    expect(status).toBe(201);
    expect(body.data.name).toBe(kept);
  });

  test("two keys may have one name, and never one id or one key", async () => {
    const made = await Promise.all(
      Array.from({ length: 20 }, () => client.post(PATH, { name: "x" })),
    );
    expect(new Set(made.map(({ body }) => body.data.id)).size).toBe(20);
    expect(new Set(made.map(({ body }) => body.data.key)).size).toBe(20);
  });
});

test("403 without keys:manage, and nothing is made", async () => {
  const other = await newKey(databaseUrl, account.accountId, ["events:read", "events:write"]);
  const before = (await client.get(PATH)).text;
  expectRefused(await client.as(other.key).post(PATH, { name: "x" }), "scope_error", {
    message: "This operation needs a key with the scope keys:manage.",
  });
  expect((await client.get(PATH)).text).toBe(before);
});

test("403: without a plan an account has 1,000 live keys at most", async () => {
  const full = await newClient(stack);
  await storeKeys(full.accountId, 998);
  const last = await full.client.post(PATH, { name: "last" });
  expect(last.status).toBe(201);
  const refusal = {
    message:
      "The plan unlimited allows 1000 API keys, and the account has as many. Delete one first.",
  };
  expectRefused(await full.client.post(PATH, { name: "more" }), "plan_limit_exceeded", refusal);
  expectRefused(await full.client.post("/v1/keys", { name: "x" }), "plan_limit_exceeded", refusal);
  expect((await full.client.delete(`${PATH}/${last.body.data.id}`)).status).toBe(204);
  expect((await full.client.post(PATH, { name: "again" })).status).toBe(201);
});

describe("422", () => {
  test.each([...BAD_NAMES, ...BAD_JSON, ...BAD_SCOPES, ...BAD_RESTRICTIONS])(
    "$what",
    async (bad) => {
      const { body, headers, field, message } = bad;
      const answer = await client.post(PATH, body, headers && { headers });
      expectRefused(answer, "validation_error", { field, message });
    },
  );
});
