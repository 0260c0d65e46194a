// GET /v1/sinks lists the sinks of the caller's account, newest first, in pages, and never a secret
// (docs/interface.md).

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectLimitShown, expectRefused } from "../refusal.ts";
import { SECRET, SINK, SINKS } from "./sink-bodies.ts";

const stack = inject("stack");
const { client } = await newClient(stack);
const LAST_PAGE = { has_more: false, next_cursor: null };

describe("200", () => {
  test("an account without sinks has an empty list", async () => {
    const { status, body } = await client.get("/v1/sinks");
    expect([status, body]).toEqual([200, { data: [], ...LAST_PAGE }]);
  });

  test("newest first, in pages, without secrets, and only the account's own", async () => {
    const made: { id: string }[] = [];
    for (const { config, type } of SINKS)
      made.unshift((await client.post("/v1/sinks", { type, config, active: false })).body.data);
    const { client: other } = await newClient(stack);
    await other.post("/v1/sinks", SINK);
    const { status, headers, body, text } = await client.get("/v1/sinks");
    expect(status).toBe(200);
    expectLimitShown(headers);
    expect(body).toEqual({ data: made, ...LAST_PAGE });
    expect(text).not.toContain(SECRET);
    const { body: first } = await client.get("/v1/sinks?limit=3");
    const { body: second } = await client.get(`/v1/sinks?limit=3&cursor=${first.next_cursor}`);
    expect([first.has_more, second.has_more]).toEqual([true, false]);
    expect([...first.data, ...second.data]).toEqual(made);
  });
});

describe("422", () => {
  test.each([
    ["?limit=0", "limit"],
    ["?limit=101", "limit"],
    ["?cursor=x", "cursor"],
    ["?page=2", "page"],
  ])("%s", async (query, field) => {
    expectRefused(await client.get(`/v1/sinks${query}`), "validation_error", { field });
  });
});
