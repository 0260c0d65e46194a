// DELETE /v1/sinks/{id} deletes a sink permanently, with its configuration (docs/interface.md).

import { newClient, ownerOf } from "@annals/testing";
import { expect, inject, test } from "vitest";
import { expectLimitShown, expectRefused } from "../refusal.ts";
import { SINK } from "./sink-bodies.ts";

const stack = inject("stack");
const { accountId, client } = await newClient(stack);
const make = async (): Promise<string> => (await client.post("/v1/sinks", SINK)).body.data.id;

test("204: it is gone, and nothing of it is stored", async () => {
  const id = await make();
  const { status, headers, text } = await client.delete(`/v1/sinks/${id}`);
  expect([status, text]).toEqual([204, ""]);
  expectLimitShown(headers);
  expectRefused(await client.get(`/v1/sinks/${id}`), "not_found");
  expect((await client.get("/v1/sinks")).body.data).toEqual([]);
  const owner = ownerOf(stack.databaseUrl);
  const rows = await owner.query("SELECT 1 FROM webhooks.sinks WHERE account_id = $1", [accountId]);
  await owner.close();
  expect(rows).toEqual([]);
});

test("404: for a deleted one, an unknown one, and another account's, which stays", async () => {
  const id = await make();
  const { client: other } = await newClient(stack);
  expectRefused(await other.delete(`/v1/sinks/${id}`), "not_found");
  expect((await client.get("/v1/sinks")).body.data).toHaveLength(1);
  await client.delete(`/v1/sinks/${id}`);
  for (const one of [id, "sink_none", "x", "%00"])
    expectRefused(await client.delete(`/v1/sinks/${one}`), "not_found");
});
