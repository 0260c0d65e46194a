// GET /v1/webhooks lists the webhooks of the caller's account, newest first, and never a secret
// (interface 4.3).

import { HttpClient, newAccount, newKey } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { expectLimitShown, expectRefused } from "../refusal.ts";
import { URL_OF_NOBODY } from "./bad-bodies.ts";

const { baseUrl, databaseUrl } = inject("stack");
let client: HttpClient;
let accountId: string;

beforeAll(async () => {
  const account = await newAccount(databaseUrl);
  accountId = account.accountId;
  client = new HttpClient(baseUrl, account.key);
});
afterAll(() => client.close());

describe("200", () => {
  test("an account without webhooks has an empty list", async () => {
    const { status, body } = await client.get("/v1/webhooks");
    expect([status, body]).toEqual([200, { data: [] }]);
  });

  test("newest first, without secrets, and only the account's own", async () => {
    const made = [];
    for (const events of [["*"], ["event.created"], ["event.verified", "export.completed"]]) {
      const { body } = await client.post("/v1/webhooks", { url: URL_OF_NOBODY, events });
      made.unshift(body.data);
    }
    const other = await newAccount(databaseUrl);
    await client.as(other.key).post("/v1/webhooks", { url: URL_OF_NOBODY, events: ["*"] });
    const { status, headers, body, text } = await client.get("/v1/webhooks");
    expect(status).toBe(200);
    expectLimitShown(headers);
    expect(body).toEqual({ data: made.map(({ secret: _secret, ...shown }) => shown) });
    expect(Object.keys(body.data[0])).toEqual(["id", "url", "events", "active", "created_at"]);
    expect(text).not.toContain("whsec_");
  });
});

test("401 without a valid key", async () => {
  expectRefused(await client.as(undefined).get("/v1/webhooks"), "authentication_error");
});

test("403 without keys:manage", async () => {
  const { key } = await newKey(databaseUrl, accountId, ["events:read"]);
  expectRefused(await client.as(key).get("/v1/webhooks"), "scope_error", {
    message: /keys:manage/,
  });
});

test("422 for a parameter", async () => {
  expectRefused(await client.get("/v1/webhooks?limit=5"), "validation_error", { field: "limit" });
});
