// Guarantee: a list never misses an event because its client encoded a space as `+`, or left a plus sign as
// it is. Both texts are found, on every page, unless that makes more values than a filter takes
// (docs/interface.md).

import { newClient } from "@annals/testing";
import { expect, inject, test } from "vitest";
import { newToken } from "../../system/widget-client.ts";
import { expectRefused } from "../refusal.ts";

const { client } = await newClient(inject("stack"));
const SPACE = "alice 1@example.com";
const PLUS = "alice+1@example.com";

for (const [action, id] of [
  ["a b+c", PLUS],
  ["a+b+c", SPACE],
  ["a b c", "alice 1+@example.com"],
  ["signed in", PLUS],
])
  await client.post("/v1/events", {
    action,
    actor: { id, type: "u+ser" },
    target: { id, type: "t y" },
  });

const numbersOf = async (query: string, by = client) => {
  const { body, status } = await by.get(`/v1/${by === client ? "" : "widget/"}events?${query}`);
  expect(status).toBe(200);
  return body.data.map((event: { sequence_number: number }) => event.sequence_number);
};

const CASES: [string, string, number[]][] = [
  ["a bare plus sign", `actor_id=${PLUS}`, [4, 2, 1]],
  ["an encoded one", `actor_id=${encodeURIComponent(PLUS)}`, [4, 1]],
  ["an encoded space", `actor_id=${encodeURIComponent(SPACE)}`, [2]],
  ["a space of a form", String(new URLSearchParams({ action: "signed in" })), [4]],
  ["both in a form", String(new URLSearchParams({ action: "a b+c" })), [2, 1]],
  ["each plus sign the same way", "action=a+b+c", [3, 2]],
  ["a prefix", "action=signed+*", [4]],
  ["another filter", "actor_type=u+ser&target_type=t+y", [4, 3, 2, 1]],
  ["several values", "actor_id=none&actor_id=alice+1@example.com", [4, 2, 1]],
  ["a plus sign in a time", "occurred_from=2020-01-01T00:00:00+00:00&action=signed%20in", [4]],
];

test.each(CASES)("%s", async (_, query, found) => {
  expect(await numbersOf(query)).toEqual(found);
  const { widget } = await newToken(client);
  expect(await numbersOf(query, widget)).toEqual(found);
});

test("each page of a list reads it the same way", async () => {
  const query = `actor_id=${PLUS}&limit=1`;
  const found: number[] = [];
  for (let cursor = ""; ;) {
    const { body } = await client.get(`/v1/events?${query}${cursor}`);
    found.push(...body.data.map((event: { sequence_number: number }) => event.sequence_number));
    if (!body.has_more) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  expect(found).toEqual([4, 2, 1]);
});

const MESSAGE =
  "has a bare +, which counts as two values: write %2B for a plus sign, %20 for a space";
const values = (name: string, count: number, text: string) =>
  Array.from({ length: count }, (_, n) => `${name}=${text}${n}`).join("&");

test("5 values with a bare plus sign are the 10 that a filter takes, and 6 are too many", async () => {
  expect((await client.get(`/v1/events?${values("actor_id", 5, "a+")}`)).status).toBe(200);
  const message = `actor_id: ${MESSAGE}`;
  const answer = await client.get(`/v1/events?${values("actor_id", 6, "a+")}`);
  expectRefused(answer, "validation_error", { field: "actor_id", message });
  const encoded = values("actor_id", 10, "a%2B");
  expect((await client.get(`/v1/events?${encoded}`)).status).toBe(200);
});

test("20 in all filters, and no more", async () => {
  const ten = `${values("action", 10, "a")}&${values("actor_id", 4, "a+")}`;
  expect((await client.get(`/v1/events?${ten}&target_id=a+b`)).status).toBe(200);
  const answer = await client.get(`/v1/events?${ten}&target_id=a+b&target_type=c`);
  expectRefused(answer, "validation_error", { message: `target_id: ${MESSAGE}` });
});
