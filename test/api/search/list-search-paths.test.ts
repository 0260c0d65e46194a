// GET /v1/search/paths lists the paths of the newest events with their types (docs/search-fields.md), of no
// other account, and only as many as it says.

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";

const stack = inject("stack");
const PATH = "/v1/search/paths";

async function begin(...events: object[]) {
  const { client } = await newClient(stack);
  for (let at = 0; at < events.length; at += 10)
    await client.post("/v1/events/batch", { events: events.slice(at, at + 10) });
  return client;
}

describe("200", () => {
  test("none without an event", async () => {
    expect((await (await begin()).get(PATH)).body).toEqual({ data: [] });
  });

  test("the most frequent first, each can be declared as it is", async () => {
    const client = await begin(
      { action: "a", context: { ip: "10.0.0.1", "user agent": "x" } },
      { action: "a", context: { ip: "10.0.0.2" }, metadata: { n: 1 } },
      { action: "a", context: { ip: "10.0.0.2" } },
    );
    const { data } = (await client.get(PATH)).body;
    expect(data).toEqual([
      { path: "context.ip", type: "ip", share: 1 },
      { path: ["context", "user agent"], type: "string", share: 0.3333 },
      { path: "metadata.n", type: "number", share: 0.3333 },
    ]);
    for (const [index, { path, type }] of data.entries()) {
      const declared = await client.post("/v1/search/fields", { path, type, name: `f${index}` });
      expect(declared.status).toBe(201);
    }
  });

  test("at most 200 of them, and those of the events within 1 MiB", async () => {
    const members = (count: number, before: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`${before}${at}`, "a"]));
    const many = await begin({ action: "a", context: members(201, "n") });
    expect((await many.get(PATH)).body.data).toHaveLength(200);
    const large = { action: "a", context: { large: "x".repeat(60_000) } };
    const old = { action: "a", context: { old: 1 } };
    const client = await begin(old, ...Array.from({ length: 18 }, () => large));
    expect((await client.get(PATH)).body.data).toEqual([
      { path: "context.large", type: "string", share: 1 },
    ]);
  });
});

test("422 for a parameter", async () => {
  const client = await begin();
  expectRefused(await client.get(`${PATH}?limit=1`), "validation_error", { field: "limit" });
});
