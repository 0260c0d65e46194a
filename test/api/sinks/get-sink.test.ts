// GET /v1/sinks/{id} shows one sink as its list does, and no sink of another account (docs/interface.md).

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectLimitShown, expectRefused } from "../refusal.ts";
import { SECRET, SINK } from "./sink-bodies.ts";

const stack = inject("stack");
const { client } = await newClient(stack);
const created = (await client.post("/v1/sinks", { ...SINK, active: false })).body.data;

test("200: as it was created, without its secrets", async () => {
  const { status, headers, body, text } = await client.get(`/v1/sinks/${created.id}`);
  expect(status).toBe(200);
  expectLimitShown(headers);
  expect(body).toEqual({ data: created });
  expect((await client.get("/v1/sinks")).body.data).toEqual([created]);
  expect(text).not.toContain(SECRET);
});

describe("404", () => {
  test("for an id that does not exist", async () => {
    for (const id of ["sink_none", "x", "%00", "wh_1", "sink_".padEnd(500, "x")])
      expectRefused(await client.get(`/v1/sinks/${id}`), "not_found");
  });

  test("for another account's sink", async () => {
    const { client: other } = await newClient(stack);
    expectRefused(await other.get(`/v1/sinks/${created.id}`), "not_found");
  });
});
