// POST /v1/sinks/{id}/skip passes over the one event that the receiver has refused, if it is the named one
// (docs/interface.md), and over nothing else.

import { markRejected, newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectLimitShown, expectRefused } from "../refusal.ts";
import { SINK } from "./sink-bodies.ts";

const stack = inject("stack");
const { accountId, client } = await newClient(stack);
await client.post("/v1/events/batch", { events: [{ action: "a" }, { action: "b" }] });
const { id } = (await client.post("/v1/sinks", { ...SINK, active: false, from: "start" })).body
  .data;

const skip = (number: unknown, by = client, of = id) =>
  by.post(`/v1/sinks/${of}/skip`, { sequence_number: number });
const status = async () => (await client.get(`/v1/sinks/${id}/status`)).body.data;

describe("422", () => {
  test.each([0, -1, 1.5, "1", null, 1, Number.MAX_SAFE_INTEGER])(
    "the event %j of a sink whose receiver has refused none",
    async (number) => {
      expectRefused(await skip(number), "validation_error", { field: "sequence_number" });
      expect(await status()).toMatchObject({ cursor: 0, lost: [], rejected: null });
    },
  );

  test("another event than the one that was refused, which is named", async () => {
    await markRejected(stack.databaseUrl, accountId, 1);
    const message = "sequence_number: must be 1, which is the event that the receiver refuses";
    expectRefused(await skip(2), "validation_error", { message });
    expect((await status()).cursor).toBe(0);
  });
});

test("404: for an unknown one, and another account's, which stays", async () => {
  const { client: other } = await newClient(stack);
  expectRefused(await skip(1, other), "not_found");
  for (const one of ["sink_none", "x", "%00"])
    expectRefused(await skip(1, client, one), "not_found");
  expect((await status()).cursor).toBe(0);
});

test("200: the event is passed over, and listed as lost", async () => {
  await markRejected(stack.databaseUrl, accountId, 1);
  const { status: code, headers, body } = await skip(1);
  expect([code, body]).toEqual([200, { data: { sequence_number: 1 } }]);
  expectLimitShown(headers);
  expect(await status()).toMatchObject({
    cursor: 1,
    last_error: null,
    lost: [{ from_sequence_number: 1, to_sequence_number: 1, reason: "rejected" }],
    rejected: null,
  });
  expectRefused(await skip(1), "validation_error", { field: "sequence_number" });
});
