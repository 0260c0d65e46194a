// GET /v1/holds lists the active holds on the account's own events in pages, newest first
// (docs/lifecycle.md).

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";

const stack = inject("stack");
const { client } = await newClient(stack);
const PATH = "/v1/holds";

const place = async (from_sequence: number) =>
  (await client.post(PATH, { from_sequence })).body.data;

describe("200", () => {
  test("an empty list, and those of no other account", async () => {
    const other = await newClient(stack);
    await place(1);
    const page = { data: [], has_more: false, next_cursor: null };
    expect((await other.client.get(PATH)).body).toEqual(page);
  });

  test("pages of active holds, newest first", async () => {
    const [oldest] = (await client.get(PATH)).body.data;
    const [second, released, third] = [await place(2), await place(3), await place(4)];
    await client.delete(`${PATH}/${released.id}`);
    const first = await client.get(`${PATH}?limit=2`);
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      data: [third, second],
      has_more: true,
      next_cursor: expect.any(String),
    });
    const last = await client.get(`${PATH}?limit=2&cursor=${first.body.next_cursor}`);
    expect(last.body).toEqual({ data: [oldest], has_more: false, next_cursor: null });
  });
});

describe("422", () => {
  test.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["cursor=x", "cursor"],
    ["cursor=", "cursor"],
    ["order=asc", "order"],
  ])("%s", async (query, field) => {
    expectRefused(await client.get(`${PATH}?${query}`), "validation_error", { field });
  });
});
