// POST /v1/exports by `text` (docs/exports.md): the file has the events that a list by the same text has.
// What is found where, and what an erasure takes out, is in services/ledger/src/search/search-text.test.ts.

import { describe, expect, inject, test } from "vitest";
import { exported, newExporter } from "../../system/exports-client.ts";
import { expectRefused } from "../refusal.ts";

const { client } = await newExporter(inject("stack"), [
  { action: "Invoice.Paid", actor: { id: "u_1", type: "user", meta: { name: "Ada Park" } } },
  { action: "a", context: { note: 'She said "Hello"\nand left', Address: "1+1 = 2" } },
  { action: "a", target: { id: "inv_paid_9", type: "invoice", meta: { name: "ada park" } } },
  { action: "b", metadata: { outcome: "failure", list: ["Straße"] }, diff: { after: { ok: 1 } } },
]);

const numbersOf = (content: string) =>
  content
    .split("\n")
    .slice(0, -2)
    .map((line) => JSON.parse(line).sequence_number);

describe("201", () => {
  test.each([
    ["paid", [1, 3]],
    ["PARK", [1, 3]],
    ['said "hello"\nAND', [2]],
    ["1+1", [2]],
    ["straße", [4]],
    ["no such text", []],
    ["x".repeat(128), []],
  ])("%j", async (text, expected) => {
    const { data, content } = await exported(client, { filter: { text } });
    expect(data.filter).toEqual({ text });
    expect(numbersOf(content.text)).toEqual(expected);
    const query = `text=${encodeURIComponent(text)}`;
    const { body } = await client.get(`/v1/events?order=asc&${query}`);
    expect(body.data.map((event: { sequence_number: number }) => event.sequence_number)).toEqual(
      expected,
    );
  });

  test("with other filters", async () => {
    const of = async (filter: object) =>
      numbersOf((await exported(client, { filter })).content.text);
    expect(await of({ text: "park", action: "a" })).toEqual([3]);
    expect(await of({ text: "park", not: { action: "a" } })).toEqual([1]);
    expect(await of({ text: "straße", outcome: "failure" })).toEqual([4]);
    expect(await of({ text: "straße", outcome: "success" })).toEqual([]);
    expect(await of({ text: "park", after_sequence: 1 })).toEqual([3]);
  });

  test("exports by other texts are others", async () => {
    const ids = [];
    for (const text of ["one", "two", "one"])
      // oxlint-disable-next-line no-await-in-loop -- in order
      ids.push((await client.post("/v1/exports", { filter: { text } })).body.data.id);
    expect(ids[2]).toBe(ids[0]);
    expect(ids[1]).not.toBe(ids[0]);
  });
});

describe("422", () => {
  test.each([
    ["ab", "filter.text: must have at least 3 characters"],
    ["", "filter.text: must have at least 3 characters"],
    ["x".repeat(129), "filter.text: must have at most 128 characters"],
    ["a\0bc", /U\+0000/],
    [["abc"], /filter.text/],
  ])("%j", async (text, message) => {
    const refused = await client.post("/v1/exports", { filter: { text } });
    expectRefused(refused, "validation_error", { field: "filter.text", message });
  });

  test("text in not", async () => {
    const refused = await client.post("/v1/exports", { filter: { not: { text: "abc" } } });
    expectRefused(refused, "validation_error", { field: "filter.not.text" });
  });
});
