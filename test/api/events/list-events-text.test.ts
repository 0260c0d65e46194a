// GET /v1/events by `text` (docs/interface.md), also through a widget token, which finds only what it shows.
// What is found where is in services/ledger/src/search/search-text.test.ts.

import { newClient } from "@annals/testing";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { newToken } from "../../system/widget-client.ts";
import { expectRefused } from "../refusal.ts";

const stack = inject("stack");
const { client } = await newClient(stack);
const PATH = "/v1/events";
const WIDGET_PATH = "/v1/widget/events";

const events = [
  { action: "Invoice.Paid", actor: { id: "u_1", type: "user", meta: { name: "Ada Park" } } },
  { action: "a", context: { note: 'She said "Hello"\nand left', Address: "1+1 = 2" } },
  { action: "a", target: { id: "inv_paid_9", type: "invoice", meta: { name: "ada park" } } },
  { action: "b", metadata: { sum: 12.5, list: ["Straße", "ÄÖ"] }, diff: { after: { ok: true } } },
];

const found = async (query: string, of = client, path = PATH): Promise<number[]> => {
  const { body, status } = await of.get(`${path}?order=asc&${query}`);
  expect(status).toBe(200);
  return body.data.map((event: { readonly sequence_number: number }) => event.sequence_number);
};
const text = (value: string): string => `text=${encodeURIComponent(value)}`;

beforeAll(() => client.post("/v1/events/batch", { events }));

describe("200", () => {
  test.each([
    ["PAID", [1, 3]],
    ["u_1", [1]],
    ["park", [1, 3]],
    ['said "hello"\nAND', [2]],
    ["address", [2]],
    ["12.5", [4]],
    ["straße", [4]],
    ["STRASSE", []],
    ["äö ", []],
    ["true", [4]],
    ["inv_paid_9", [3]],
    ["invoice", [1, 3]],
    ["%61", []],
    ["x".repeat(128), []],
  ])("%j", async (value, numbers) => {
    expect(await found(text(value))).toEqual(numbers);
  });

  test("with other filters, and page by page", async () => {
    expect(await found(`${text("park")}&action=a`)).toEqual([3]);
    expect(await found(`${text("park")}&not.action=a`)).toEqual([1]);
    const { body } = await client.get(`${PATH}?${text("park")}&limit=1`);
    expect(body).toMatchObject({ has_more: true, data: [{ sequence_number: 3 }] });
    const next = `limit=1&cursor=${body.next_cursor}`;
    const { body: last } = await client.get(`${PATH}?${text("park")}&${next}`);
    expect(last).toMatchObject({ has_more: false, data: [{ sequence_number: 1 }] });
    expectRefused(await client.get(`${PATH}?${text("ada")}&${next}`), "validation_error", {
      field: "cursor",
    });
  });

  test("either reading of a plus sign", async () => {
    expect(await found("text=1+1%20=")).toEqual([2]);
    expect(await found("text=Ada+Park")).toEqual([1, 3]);
    // It is no value of the filters, of which there may be 20.
    const twenty = ["action", "actor_id"]
      .flatMap((name) => Array.from({ length: 10 }, (_, n) => `${name}=${n}`))
      .join("&");
    expect(await found(`text=Ada+Park&${twenty}`)).toEqual([]);
  });

  test("a widget token finds only what it shows, and ids, types and actions always", async () => {
    const { widget } = await newToken(client, { parts: ["context", "actor.meta"] });
    const of = (value: string) => found(text(value), widget, WIDGET_PATH);
    expect(await of("park")).toEqual([1]);
    expect(await of("address")).toEqual([2]);
    expect(await of("12.5")).toEqual([]);
    expect(await of("true")).toEqual([]);
    expect(await of("paid")).toEqual([1, 3]);
    const { widget: own } = await newToken(client, { filter: { action: "a" }, parts: ["diff"] });
    expect(await found(text("invoice"), own, WIDGET_PATH)).toEqual([3]);
    expect(await found(text("ada"), own, WIDGET_PATH)).toEqual([]);
  });

  test("a page of a widget token reads a mebibyte, and the next one goes on", async () => {
    const { client: other } = await newClient(stack);
    const context = { t: "x".repeat(60_000) };
    const large = Array.from({ length: 20 }, () => ({ action: "a", context }));
    for (const some of [[{ action: "needle" }, ...large.slice(10)], large.slice(10)])
      // oxlint-disable-next-line no-await-in-loop -- in order
      await other.post("/v1/events/batch", { events: some });
    expect(await found("text=needle", other)).toEqual([1]);
    const { widget } = await newToken(other, { parts: ["context"] });
    const { body } = await widget.get(`${WIDGET_PATH}?text=needle`);
    expect(body).toMatchObject({ data: [], has_more: true });
    const { body: next } = await widget.get(
      `${WIDGET_PATH}?text=needle&cursor=${body.next_cursor}`,
    );
    expect(next).toMatchObject({ data: [{ sequence_number: 1 }], has_more: false });
    // What it hides costs nothing.
    const { widget: bare } = await newToken(other, { parts: ["metadata"] });
    expect(await found("text=needle", bare, WIDGET_PATH)).toEqual([1]);
  });
});

describe("422", () => {
  test.each([
    ["text=ab", "text", "text: must have at least 3 characters"],
    ["text=", "text", "text: must have at least 3 characters"],
    [`text=${"x".repeat(129)}`, "text", "text: must have at most 128 characters"],
    ["text=abc&text=def", "text", "text: can be given once"],
    ["text=a%00bc", "text", /U\+0000/],
    ["not.text=abc", "not.text", /is not a parameter/],
  ])("%s", async (query, field, message) => {
    expectRefused(await client.get(`${PATH}?${query}`), "validation_error", { field, message });
    const { widget } = await newToken(client);
    const refused = await widget.get(`${WIDGET_PATH}?${query}`);
    expectRefused(refused, "validation_error", { field, message });
  });

  test("in the filter of a widget token", async () => {
    const refused = await client.post("/v1/widget-tokens", { filter: { text: "abc" } });
    expectRefused(refused, "validation_error", { field: "filter.text" });
  });
});
