// GET /v1/erasures returns the account's erasures in pages, newest first, those that have ended too
// (docs/lifecycle.md).

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { PATH } from "./erasures-client.ts";

const { client } = await newClient(inject("stack"));

test("200: page by page, each as it is by itself", async () => {
  const ids: string[] = [];
  for (const actor_id of ["u_1", "u_2", "u_3"])
    ids.push((await client.post(PATH, { actor_id, parts: ["actor"] })).body.data.id);
  await client.delete(`${PATH}/${ids[1]}`);
  const page = async (query: string) => (await client.get(`${PATH}?${query}`)).body;
  const first = await page("limit=2");
  expect(first.has_more).toBe(true);
  const second = await page(`limit=2&cursor=${first.next_cursor}`);
  expect(second).toMatchObject({ has_more: false, next_cursor: null });
  const listed = [...first.data, ...second.data];
  expect(listed.map(({ id }) => id)).toEqual(ids.toReversed());
  expect(listed.map(({ status }) => status)).toEqual(["pending", "cancelled", "pending"]);
  const [, cancelled] = listed;
  expect((await client.get(`${PATH}/${ids[1]}`)).body.data).toEqual(cancelled);
});

describe("422", () => {
  test.each([
    ["limit", "limit=0"],
    ["limit", "limit=101"],
    ["cursor", "cursor=none"],
  ])("%s: %s", async (field, query) => {
    expectRefused(await client.get(`${PATH}?${query}`), "validation_error", { field });
  });
});
