// POST /v1/sinks/{id}/replay sets the cursor of a sink within what the chain has (docs/interface.md). Below
// what retention has left it is refused, with the first number that is left.

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectLimitShown, expectRefused } from "../refusal.ts";
import { SINK } from "./sink-bodies.ts";

const stack = inject("stack");
const { client } = await newClient(stack);
const events = Array.from({ length: 5 }, () => ({ action: "a" }));
await client.post("/v1/events/batch", { events });
const { id } = (await client.post("/v1/sinks", { ...SINK, active: false })).body.data;

const replay = (from: unknown, by = client, of = id) =>
  by.post(`/v1/sinks/${of}/replay`, { from_sequence_number: from });
const cursor = async () => (await client.get(`/v1/sinks/${id}/status`)).body.data.cursor;

test.each([1, 3, 5, 6])("200: from %d on it is sent again", async (from) => {
  const { status, headers, body } = await replay(from);
  expect([status, body]).toEqual([200, { data: { from_sequence_number: from } }]);
  expectLimitShown(headers);
  expect(await cursor()).toBe(from - 1);
});

test("404: for an unknown one, and another account's, which stays", async () => {
  const before = await cursor();
  const { client: other } = await newClient(stack);
  expectRefused(await replay(1, other), "not_found");
  for (const one of ["sink_none", "x", "%00"])
    expectRefused(await replay(1, client, one), "not_found");
  expect(await cursor()).toBe(before);
});

describe("422", () => {
  test.each([0, -1, 1.5, "1", null, 7, Number.MAX_SAFE_INTEGER])("from %j", async (from) => {
    const before = await cursor();
    const field = "from_sequence_number";
    expectRefused(await replay(from), "validation_error", { field });
    expect(await cursor()).toBe(before);
  });

  test("the next number is named", async () => {
    const message =
      "from_sequence_number: must be at most 6, which is the number of the next event";
    expectRefused(await replay(7), "validation_error", { message });
  });
});
