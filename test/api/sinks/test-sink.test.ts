// POST /v1/sinks/{id}/test says how one checkpoint was received, moves no cursor, and reports no success that
// did not happen (docs/interface.md).

import { newClient } from "@annals/testing";
import { expect, inject, test } from "vitest";
import { expectLimitShown, expectRefused } from "../refusal.ts";
import { SECRET, SINK, SINKS } from "./sink-bodies.ts";

const stack = inject("stack");
const { client } = await newClient(stack);

test.each(SINKS)("200: $type that cannot be reached: no success, and why", async (given) => {
  const { config, type } = given;
  const { id } = (await client.post("/v1/sinks", { type, config, active: false })).body.data;
  const before = (await client.get(`/v1/sinks/${id}/status`)).body.data;
  const { status, headers, body, text } = await client.post(`/v1/sinks/${id}/test`);
  expect(status).toBe(200);
  expectLimitShown(headers);
  expect(body).toEqual({ data: { success: false, error: expect.stringMatching(/\w/) } });
  expect(text).not.toContain(SECRET);
  expect((await client.get(`/v1/sinks/${id}/status`)).body.data).toEqual(before);
});

test("404: for an unknown one, and another account's", async () => {
  const { client: other } = await newClient(stack);
  const { id } = (await client.post("/v1/sinks", SINK)).body.data;
  expectRefused(await other.post(`/v1/sinks/${id}/test`), "not_found");
  for (const one of ["sink_none", "x", "%00"])
    expectRefused(await client.post(`/v1/sinks/${one}/test`), "not_found");
});
