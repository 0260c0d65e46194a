// GET /v1/webhooks/{id}/deliveries lists what was attempted, newest first, page by page (interface
// 2.4 and 4.3). Here no receiver answers; test/flows/webhooks-*.test.ts meet receivers that do.

import { eventually, newClient } from "@annals/testing";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { expectLimitShown, expectRefused } from "../refusal.ts";
import { URL_OF_NOBODY } from "../../system/bad-bodies.ts";

const COUNT = 5;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

const stack = inject("stack");
const { client } = await newClient(stack);
let id: string;

beforeAll(async () => {
  const { body } = await client.post("/v1/webhooks", {
    url: URL_OF_NOBODY,
    events: ["event.created"],
  });
  id = body.data.id;
  for (let i = 0; i < COUNT; i++) await client.post("/v1/events", { action: "user.login" });
  await eventually(
    "all were attempted",
    async () => (await list()).body.data.length === COUNT,
    30_000,
  );
});

const list = (query = "", by = client, which = id) =>
  by.get(`/v1/webhooks/${which}/deliveries${query}`);

describe("200", () => {
  test("a failed delivery whose retry is to come", async () => {
    const { status, headers, body } = await list();
    expect(status).toBe(200);
    expectLimitShown(headers);
    expect(Object.keys(body)).toEqual(["data", "has_more", "next_cursor"]);
    expect(body).toMatchObject({ has_more: false, next_cursor: null });
    for (const record of body.data) {
      expect(record).toEqual({
        id: expect.stringMatching(/^wh_del_[0-9a-z]{26}$/),
        event: "event.created",
        status: "failed",
        status_code: null,
        failure: "address",
        attempts: 1,
        last_attempt_at: expect.stringMatching(TIME),
        next_retry_at: expect.stringMatching(TIME),
      });
      const delayMs = Date.parse(record.next_retry_at) - Date.parse(record.last_attempt_at);
      expect(delayMs).toBe(60_000);
    }
  });

  test("pages of two hold what one page holds", async () => {
    const all = (await list()).body.data;
    const pages = [];
    let query = "?limit=2";
    for (;;) {
      const { body } = await list(query);
      pages.push(body.data);
      if (!body.has_more) break;
      query = `?limit=2&cursor=${body.next_cursor}`;
    }
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.flat()).toEqual(all);
  });

  test("a webhook that got nothing has an empty list", async () => {
    const { body } = await client.post("/v1/webhooks", { url: URL_OF_NOBODY, events: ["*"] });
    const answer = await list("", client, body.data.id);
    expect(answer.body).toEqual({ data: [], has_more: false, next_cursor: null });
  });
});

describe("404", () => {
  test("for an id that does not exist", async () => {
    expectRefused(await list("", client, "wh_none"), "not_found");
  });

  test("for another account's webhook", async () => {
    const { client: other } = await newClient(stack);
    expectRefused(await list("", other), "not_found");
  });
});

describe("422", () => {
  test.each([
    ["?limit=0", "limit"],
    ["?limit=101", "limit"],
    ["?limit=x", "limit"],
    ["?status=failed", "status"],
    ["?cursor=x", "cursor"],
    ["?cursor=", "cursor"],
  ])("%s", async (query, field) => {
    expectRefused(await list(query), "validation_error", { field });
  });

  test("a cursor of another webhook's list", async () => {
    const { body } = await client.post("/v1/webhooks", { url: URL_OF_NOBODY, events: ["*"] });
    const cursor = (await list("?limit=1")).body.next_cursor;
    expectRefused(await list(`?cursor=${cursor}`, client, body.data.id), "validation_error", {
      field: "cursor",
    });
  });
});
