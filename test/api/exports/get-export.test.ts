// GET /v1/exports/{id} shows an export of the caller's account, and no other account's (docs/exports.md).

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { exported, newExporter } from "../../system/exports-client.ts";

const stack = inject("stack");
const { client } = await newExporter(stack, [{ action: "a" }, { action: "b" }]);
const { id } = (await exported(client, { filter: { action: "b" } })).data;

describe("200", () => {
  test("a completed export, with what is known of its file", async () => {
    const { status, body } = await client.get(`/v1/exports/${id}`);
    expect(status).toBe(200);
    const content = await client.get(`/v1/exports/${id}/content`);
    expect(body).toEqual({
      data: {
        id,
        status: "completed",
        format: "jsonl",
        filter: { action: "b" },
        event_count: 1,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        size_bytes: Buffer.byteLength(content.text),
        created_at: expect.any(String),
        completed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      },
    });
    expect(body.data.completed_at > body.data.created_at).toBe(true);
  });
});

describe("404", () => {
  test.each(["exp_unknown", "exp_", "x", "%00", "exp_00000000000000000000000000"])(
    "the id %s",
    async (unknown) => {
      expectRefused(await client.get(`/v1/exports/${unknown}`), "not_found");
    },
  );

  test("an export of another account", async () => {
    const { client: other } = await newClient(stack);
    expectRefused(await other.get(`/v1/exports/${id}`), "not_found");
  });
});
