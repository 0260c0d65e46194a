// POST /v1/search/fields declares a field of events (docs/search-fields.md): what it may say, and how many an
// account has.

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";

const stack = inject("stack");
const { client } = await newClient(stack);
const PATH = "/v1/search/fields";

describe("201", () => {
  test("a field, with all that is indexed in its index", async () => {
    const answer = await client.post(PATH, { path: "context.ip", name: "ip", type: "ip" });
    expect(answer.status).toBe(201);
    expect(answer.body.data).toEqual({
      id: expect.stringMatching(/^field_\d+$/),
      name: "ip",
      path: "context.ip",
      type: "ip",
      ignore_case: false,
      status: "ready",
      indexed_from: 1,
      lag_events: 0,
      measured_events: 0,
      bytes_per_event: null,
      uncounted: null,
      created_at: expect.any(String),
    });
  });

  test("the path is the name if there is none, and an array if a text cannot have it", async () => {
    const plain = { path: "actor.meta.Team-1", type: "string", ignore_case: true };
    expect((await client.post(PATH, plain)).body.data).toMatchObject({
      ...plain,
      name: "actor.meta.Team-1",
    });
    const path = ["diff", "after", "a.b", "é"];
    const { body } = await client.post(PATH, { path, name: "ab", type: "number" });
    expect(body.data).toMatchObject({ path, name: "ab", type: "number" });
  });
});

describe("403", () => {
  test("more than a plan allows; those that are deleted do not count", async () => {
    const { client: other } = await newClient(stack);
    const declare = (n: number) => other.post(PATH, { path: `metadata.n${n}`, type: "time" });
    const made = await Promise.all(Array.from({ length: 8 }, (_, n) => declare(n)));
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
    expect(new Set(made.map(({ body }) => body.data.id)).size).toBe(8);
    expectRefused(await declare(8), "plan_limit_exceeded", { message: /can have 8 fields/ });
    await other.delete(`${PATH}/${made[0]?.body.data.id}`);
    const { body } = await declare(8);
    // A number is never used again.
    expect(made.map((each) => each.body.data.id)).not.toContain(body.data.id);
  });
});

describe("422", () => {
  test.each([
    [{ type: "ip" }, "path"],
    [{ path: "context.ip" }, "type"],
    [{ path: "context.ip", type: "text" }, "type"],
    [{ path: "context", type: "ip" }, "path"],
    [{ path: "context.", type: "ip" }, "path"],
    [{ path: "context.a b", name: "a", type: "ip" }, "path"],
    [{ path: ["context", "a b"], type: "ip" }, "name"],
    [{ path: ["context", ""], name: "a", type: "ip" }, "path[1]"],
    [{ path: ["context", "a\u0001"], name: "a", type: "ip" }, "path"],
    [{ path: ["context", "a\u0000"], name: "a", type: "ip" }, "path[1]"],
    [{ path: ["context", "x".repeat(129)], name: "a", type: "ip" }, "path"],
    [{ path: "diff.ip", type: "ip" }, "path"],
    [{ path: "actor.id", type: "string" }, "path"],
    [{ path: "context.a.b.c.d.e.f.g.h.i.j", type: "ip" }, "path"],
    [{ path: "context.ip", name: "a b", type: "ip" }, "name"],
    [{ path: `context.${"a".repeat(64)}`, type: "ip" }, "name"],
    [{ path: "context.ip", type: "ip", ignore_case: true }, "ignore_case"],
    [{ path: "context.ip", type: "ip", status: "ready" }, "status"],
  ])("%j: %s", async (body, field) => {
    expectRefused(await client.post(PATH, body), "validation_error", { field });
  });

  test("the name of another field", async () => {
    const field = { path: "context.twice", type: "string" };
    expect((await client.post(PATH, field)).status).toBe(201);
    const again = await client.post(PATH, { ...field, type: "number" });
    expectRefused(again, "validation_error", { field: "name", message: /of another field/ });
  });
});
