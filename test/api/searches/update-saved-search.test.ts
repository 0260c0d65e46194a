// PATCH /v1/searches/{id} changes a search that the account keeps (docs/interface.md).

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { PATH, SEARCH } from "./saved-search-bodies.ts";

const stack = inject("stack");
const { client } = await newClient(stack);
const save = async (body: object = SEARCH) => (await client.post(PATH, body)).body.data;

describe("200", () => {
  test.each([
    [{}],
    [{ name: "another" }],
    [{ filter: {} }],
    [{ filter: { text: "another" } }],
    [{ view: {} }],
    [{ name: "another", view: { by: "action" }, filter: { action: "a" } }],
  ])("%j", async (change) => {
    const saved = await save();
    const { body, status } = await client.patch(`${PATH}/${saved.id}`, change);
    expect(status).toBe(200);
    expect(body.data).toEqual({ ...saved, ...change, updated_at: expect.any(String) });
    expect(body.data.updated_at >= saved.updated_at).toBe(true);
    expect((await client.get(PATH)).body.data).toContainEqual(body.data);
  });
});

describe("404", () => {
  test("a search that is deleted, one of another account, and none", async () => {
    const { id } = await save();
    const other = await newClient(stack);
    expectRefused(await other.client.patch(`${PATH}/${id}`, { name: "mine" }), "not_found");
    expect((await client.get(PATH)).body.data).toContainEqual(
      expect.objectContaining({ ...SEARCH, id }),
    );
    await client.delete(`${PATH}/${id}`);
    for (const each of [id, `${id}x`, "srch_1", "hold_1"])
      // oxlint-disable-next-line no-await-in-loop -- in order
      expectRefused(await client.patch(`${PATH}/${each}`, { name: "a" }), "not_found");
  });
});

describe("422", () => {
  test.each([
    [{ name: "" }, "name"],
    [{ filter: { fields: { unknown: "a" } } }, "field.unknown"],
    [{ filter: null }, "filter"],
    [{ view: { sort: "asc" } }, "view.sort"],
    [{ has_erased: false }, "has_erased"],
    [
      { filter: { actor_id: Array.from({ length: 10 }, (_, n) => `${n}${"é".repeat(250)}`) } },
      "filter",
    ],
  ])("%j: %s", async (change, field) => {
    const saved = await save();
    expectRefused(await client.patch(`${PATH}/${saved.id}`, change), "validation_error", { field });
    expect((await client.get(PATH)).body.data).toContainEqual(saved);
  });
});
