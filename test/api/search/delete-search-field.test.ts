// DELETE /v1/search/fields/{id} ends a declared field of the account (docs/search-fields.md).

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";

const stack = inject("stack");
const { client } = await newClient(stack);
const PATH = "/v1/search/fields";

const declare = async () => (await client.post(PATH, { path: "context.ip", type: "ip" })).body.data;

describe("204", () => {
  test("its name is free again", async () => {
    const { id } = await declare();
    const { status, text } = await client.delete(`${PATH}/${id}`);
    expect({ status, text }).toEqual({ status: 204, text: "" });
    const again = await declare();
    expect(again.id).not.toBe(id);
    await client.delete(`${PATH}/${again.id}`);
  });
});

describe("404", () => {
  test("a field that is deleted, one of another account, and none", async () => {
    const { id } = await declare();
    const other = await newClient(stack);
    expectRefused(await other.client.delete(`${PATH}/${id}`), "not_found");
    await client.delete(`${PATH}/${id}`);
    for (const each of [id, "field_6", "field_99999", "field_x", "16"])
      expectRefused(await client.delete(`${PATH}/${each}`), "not_found");
  });
});
