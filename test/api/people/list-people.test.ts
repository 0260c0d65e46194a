// GET /v1/people lists who has logged in and has a role in the account (docs/interface.md). Who they are is
// shown in services/keys/src/people/rpc/list-people.test.ts.

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";

const { client } = await newClient(inject("stack"));
const PATH = "/v1/people";

test("200: an empty page where nobody has a role", async () => {
  const answer = await client.get(PATH);
  const page = { data: [], has_more: false, next_cursor: null };
  expect([answer.status, answer.body]).toEqual([200, page]);
});

describe("422", () => {
  test.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["cursor=x", "cursor"],
    ["role=viewer", "role"],
  ])("%s", async (query, field) => {
    expectRefused(await client.get(`${PATH}?${query}`), "validation_error", { field });
  });
});
