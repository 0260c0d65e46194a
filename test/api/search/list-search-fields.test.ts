// GET /v1/search/fields lists the fields that the account has declared, the oldest first
// (docs/search-fields.md).

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";

const stack = inject("stack");
const { client } = await newClient(stack);
const PATH = "/v1/search/fields";

describe("200", () => {
  test("an empty list, and those of no other account", async () => {
    const other = await newClient(stack);
    await client.post(PATH, { path: "context.other", type: "string" });
    expect((await other.client.get(PATH)).body).toEqual({ data: [] });
  });

  test("all that are not deleted, the oldest first", async () => {
    const { client: own } = await newClient(stack);
    const declare = async (name: string) =>
      (await own.post(PATH, { path: "context.a", name, type: "string" })).body.data;
    const [first, second, third] = [await declare("z"), await declare("a"), await declare("m")];
    expect((await own.get(PATH)).body).toEqual({ data: [first, second, third] });
    await own.delete(`${PATH}/${second.id}`);
    expect((await own.get(PATH)).body).toEqual({ data: [first, third] });
  });
});

describe("422", () => {
  test.each(["limit", "cursor", "name"])("a parameter %s", async (field) => {
    expectRefused(await client.get(`${PATH}?${field}=1`), "validation_error", { field });
  });
});
