// GET /v1/webhooks lists the webhooks of the caller's account, newest first, in pages, and never a secret
// (interface 9.1).

import { HttpClient, newAccount, newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { storeWebhooks } from "../../system/many.ts";
import { expectLimitShown, expectRefused } from "../refusal.ts";
import { URL_OF_NOBODY } from "../../system/bad-bodies.ts";

const stack = inject("stack");
const { client } = await newClient(stack);
const LAST_PAGE = { has_more: false, next_cursor: null };

describe("200", () => {
  test("an account without webhooks has an empty list", async () => {
    const { status, body } = await client.get("/v1/webhooks");
    expect([status, body]).toEqual([200, { data: [], ...LAST_PAGE }]);
  });

  test("newest first, without secrets, and only the account's own", async () => {
    const made = [];
    for (const events of [["*"], ["event.created"], ["event.verified", "export.completed"]]) {
      const { body } = await client.post("/v1/webhooks", { url: URL_OF_NOBODY, events });
      made.unshift(body.data);
    }
    const { client: other } = await newClient(stack);
    await other.post("/v1/webhooks", { url: URL_OF_NOBODY, events: ["*"] });
    const { status, headers, body, text } = await client.get("/v1/webhooks");
    expect(status).toBe(200);
    expectLimitShown(headers);
    const data = made.map(({ secret: _secret, ...shown }) => shown);
    expect(body).toEqual({ data, ...LAST_PAGE });
    expect(Object.keys(body.data[0])).toEqual(["id", "url", "events", "active", "created_at"]);
    expect(text).not.toContain("whsec_");
  });

  test("100 by default and at most; the pages hold every webhook once", async () => {
    const { accountId, key } = await newAccount(stack.databaseUrl);
    const many = new HttpClient(stack.baseUrl, key);
    await storeWebhooks(accountId, 101);
    const { body: first } = await many.get("/v1/webhooks");
    const { body: second } = await many.get(`/v1/webhooks?limit=100&cursor=${first.next_cursor}`);
    expect([first.data.length, second.data.length]).toEqual([100, 1]);
    expect([first.has_more, second.has_more, second.next_cursor]).toEqual([true, false, null]);
    const ids = [...first.data, ...second.data].map(({ id }) => id);
    expect(new Set(ids).size).toBe(101);
    expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? 1 : -1)));
  });
});

describe("422", () => {
  test.each([
    ["?limit=0", "limit"],
    ["?limit=101", "limit"],
    ["?cursor=x", "cursor"],
    ["?page=2", "page"],
  ])("%s", async (query, field) => {
    expectRefused(await client.get(`/v1/webhooks${query}`), "validation_error", { field });
  });
});
