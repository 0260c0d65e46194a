// DELETE /v1/searches/{id} deletes a search that the account keeps (docs/interface.md).

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { PATH, SEARCH } from "./saved-search-bodies.ts";

const stack = inject("stack");
const { client } = await newClient(stack);

describe("204", () => {
  test("it is gone", async () => {
    const { id } = (await client.post(PATH, SEARCH)).body.data;
    const { status, text } = await client.delete(`${PATH}/${id}`);
    expect({ status, text }).toEqual({ status: 204, text: "" });
    expect((await client.get(PATH)).body.data).toEqual([]);
  });
});

describe("404", () => {
  test("a search that is deleted, one of another account, and none", async () => {
    const { id } = (await client.post(PATH, SEARCH)).body.data;
    const other = await newClient(stack);
    expectRefused(await other.client.delete(`${PATH}/${id}`), "not_found");
    expect((await client.delete(`${PATH}/${id}`)).status).toBe(204);
    for (const each of [id, `${id}x`, "srch_1", "hold_1"])
      // oxlint-disable-next-line no-await-in-loop -- in order
      expectRefused(await client.delete(`${PATH}/${each}`), "not_found");
  });
});
