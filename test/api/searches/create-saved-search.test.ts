// POST /v1/searches keeps a search of the account (docs/interface.md): what it may say, and how many there
// are.

import { newClient, newKey } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { PATH, SEARCH } from "./saved-search-bodies.ts";

const stack = inject("stack");
const { accountId, client } = await newClient(stack);

describe("201", () => {
  test("a search, as it was sent", async () => {
    const answer = await client.post(PATH, SEARCH);
    expect(answer.status).toBe(201);
    const { created_at: createdAt } = answer.body.data;
    expect(answer.body.data).toEqual({
      ...SEARCH,
      id: expect.stringMatching(/^srch_[0-9a-z]{26}$/),
      fields: [],
      has_erased: false,
      created_at: expect.any(String),
      updated_at: createdAt,
    });
  });

  test("a name alone: all events", async () => {
    const { body } = await client.post(PATH, { name: "x".repeat(128) });
    expect(body.data).toMatchObject({ filter: {}, view: {} });
  });

  test("it has the paths of the fields that it names, also when they are deleted", async () => {
    const declare = (name: string, path: unknown) =>
      client.post("/v1/search/fields", { name, path, type: "ip" });
    const { data } = (await declare("ip", "context.ip")).body;
    await declare("agent", ["context", "user agent"]);
    const fields = { ip: ["10.0.0.0/8", "192.0.2.1"] };
    const filter = { fields, not: { fields: { agent: "*", ip: "10.0.0.1" } } };
    const { body } = await client.post(PATH, { name: "by field", filter });
    const of = { type: "ip", ignore_case: false };
    const named = [
      { name: "ip", path: "context.ip", ...of },
      { name: "agent", path: ["context", "user agent"], ...of },
    ];
    expect(body.data).toMatchObject({ filter, fields: named });
    await client.delete(`/v1/search/fields/${data.id}`);
    const { data: listed } = (await client.get(PATH)).body;
    expect(listed).toContainEqual(body.data);
    const renamed = await client.patch(`${PATH}/${body.data.id}`, { name: "renamed" });
    expect(renamed.body.data).toMatchObject({ name: "renamed", filter, fields: named });
  });

  test("with a key that may read events, and nothing else", async () => {
    const { key } = await newKey(stack.databaseUrl, accountId, ["events:read"]);
    expect((await client.as(key).post(PATH, SEARCH)).status).toBe(201);
  });
});

describe("403", () => {
  test("more than a hundred; those that are deleted do not count", async () => {
    const { client: other } = await newClient(stack);
    const save = (n: number) => other.post(PATH, { name: `n${n}` });
    const made = [];
    for (let n = 0; n < 100; n += 10)
      // oxlint-disable-next-line no-await-in-loop -- ten at a time
      made.push(...(await Promise.all(Array.from({ length: 10 }, (_, at) => save(n + at)))));
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
    expectRefused(await save(100), "plan_limit_exceeded", { message: /can have 100 saved/ });
    await other.delete(`${PATH}/${made[0]?.body.data.id}`);
    expect((await save(100)).status).toBe(201);
  });
});

describe("422", () => {
  test.each([
    [{}, "name"],
    [{ name: "" }, "name"],
    [{ name: "x".repeat(129) }, "name"],
    [{ name: "a\u0000" }, "name"],
    [{ name: "a", filter: { unknown: "a" } }, "filter.unknown"],
    [{ name: "a", filter: { text: "ab" } }, "filter.text"],
    [{ name: "a", filter: { fields: { unknown: "a" } } }, "field.unknown"],
    [{ name: "a", filter: { occurred_from: "yesterday" } }, "filter.occurred_from"],
    [{ name: "a", view: { sort: "asc" } }, "view.sort"],
    [{ name: "a", view: { range: "" } }, "view.range"],
    [{ name: "a", view: { columns: Array.from({ length: 33 }, () => "a") } }, "view.columns"],
    [{ name: "a", view: { by: 1 } }, "view.by"],
    [{ name: "a", id: "srch_1" }, "id"],
  ])("%j: %s", async (body, field) => {
    expectRefused(await client.post(PATH, body), "validation_error", { field });
  });

  test("more than 4,096 bytes, of which the longest member is named", async () => {
    const filter = { actor_id: Array.from({ length: 10 }, (_, n) => `${n}${"x".repeat(254)}`) };
    const columns = Array.from({ length: 11 }, () => "c".repeat(128));
    const sized = (name: string) => ({ name, filter, view: { columns } });
    const of = (value: object) => Buffer.byteLength(JSON.stringify(value));
    // The fields that it names are an empty array.
    const left = 4_096 - of(filter) - of({ columns }) - 2;
    expect(left).toBeGreaterThan(2);
    expect(left).toBeLessThanOrEqual(128);
    const whole = "é".repeat(Math.floor(left / 2)) + "x".repeat(left % 2);
    expect((await client.post(PATH, sized(whole))).status).toBe(201);
    const message = /4096 bytes/;
    const field = "filter";
    expectRefused(await client.post(PATH, sized(`${whole}x`)), "validation_error", {
      field,
      message,
    });
  });
});
