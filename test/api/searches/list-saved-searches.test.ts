// GET /v1/searches lists the searches that the account keeps, the oldest first (docs/interface.md).

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { newToken } from "../../system/widget-client.ts";
import { expectRefused } from "../refusal.ts";
import { PATH, SEARCH } from "./saved-search-bodies.ts";

const stack = inject("stack");
const { client } = await newClient(stack);

describe("200", () => {
  test("all of the account, the oldest first, and those of no other", async () => {
    const other = await newClient(stack);
    await other.client.post(PATH, SEARCH);
    expect((await client.get(PATH)).body).toEqual({ data: [] });
    const made = [];
    for (const name of ["z", "a", "m"])
      // oxlint-disable-next-line no-await-in-loop -- in order
      made.push((await client.post(PATH, { ...SEARCH, name })).body.data);
    expect((await client.get(PATH)).body).toEqual({ data: made });
    await client.delete(`${PATH}/${made[1]?.id}`);
    expect((await client.get(PATH)).body).toEqual({ data: [made[0], made[2]] });
  });
});

describe("401", () => {
  test("a widget token", async () => {
    const { token } = await newToken(client);
    expectRefused(await client.as(token).get(PATH), "authentication_error");
  });
});

describe("422", () => {
  test.each(["limit", "cursor", "name"])("a parameter %s", async (field) => {
    expectRefused(await client.get(`${PATH}?${field}=1`), "validation_error", { field });
  });
});
