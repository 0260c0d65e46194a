// GET /v1/events by the fields that the account has declared (docs/search-fields.md), also through a widget
// token. What each value selects is in services/ledger/src/search/declared-fields.test.ts.

import { newClient } from "@annals/testing";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { newToken } from "../../system/widget-client.ts";

const stack = inject("stack");
const { client } = await newClient(stack);
const PATH = "/v1/events";

const FIELDS = [
  { path: "context.ip", name: "ip", type: "ip" },
  { path: "metadata.ms", name: "ms", type: "number" },
  { path: ["context", "user agent"], name: "agent", type: "string", ignore_case: true },
  { path: "actor.meta.since", name: "since", type: "time" },
];

const events = [
  { context: { ip: "203.0.113.7", "user agent": "Curl/8" }, metadata: { ms: 5 } },
  {
    context: { ip: "10.1.2.3" },
    metadata: { ms: 7.5 },
    actor: { meta: { since: "2026-01-01T00:00:00Z" } },
  },
  { context: { ip: ["10.0.0.1", "203.0.113.9"] }, metadata: { ms: "5" } },
  { context: { "user agent": "a+b c" } },
].map((event) => ({ action: "a", ...event }));

const found = async (query: string, of = client, path = PATH): Promise<number[]> => {
  const { body } = await of.get(`${path}?order=asc&${query}`);
  return body.data.map((event: { readonly sequence_number: number }) => event.sequence_number);
};

beforeAll(async () => {
  // In order, so that a message that names one is always the same.
  for (const field of FIELDS)
    // oxlint-disable-next-line no-await-in-loop -- in order
    await client.post("/v1/search/fields", field);
  await client.post("/v1/events/batch", { events });
});

describe("200", () => {
  test.each([
    ["field.ip=203.0.113.0/24", [1, 3]],
    ["field.ip=10.0.0.0/8&field.ms=..7.5", [2]],
    ["field.ip=10.1.2.3&field.ip=203.0.113.7", [1, 2]],
    ["field.ip=*&not.field.ip=10.0.0.0/8", [1]],
    ["not.field.ms=*", [3, 4]],
    ["field.agent=CURL*", [1]],
    ["field.agent=a%2Bb%20c", [4]],
    // Either reading of a plus sign.
    ["field.agent=a+b%20c", [4]],
    ["field.since=2026-01-01T01:00:00+01:00", [2]],
    ["field.since=..2026-01-01T00:00:00Z", []],
  ])("%s", async (query, numbers) => {
    expect(await found(query)).toEqual(numbers);
  });

  test("a cursor is of the same fields", async () => {
    const { body } = await client.get(`${PATH}?field.ip=*&limit=1`);
    const next = `limit=1&cursor=${body.next_cursor}`;
    const { data } = (await client.get(`${PATH}?field.ip=*&${next}`)).body;
    expect(data).toMatchObject([{ sequence_number: 2 }]);
    expectRefused(await client.get(`${PATH}?field.ms=*&${next}`), "validation_error", {
      field: "cursor",
    });
  });
});

describe("403", () => {
  test("through a token that hides the part", async () => {
    const { widget } = await newToken(client, { parts: ["context"] });
    expect(await found("field.ip=203.0.113.0/24", widget, "/v1/widget/events")).toEqual([1, 3]);
    for (const query of ["field.ms=5", "not.field.ms=5", "field.ip=*&field.since=*"]) {
      const refused = await widget.get(`/v1/widget/events?${query}`);
      expectRefused(refused, "scope_error", { message: /does not show (metadata|actor\.meta)/ });
    }
  });
});

describe("422", () => {
  test.each([
    ["field.unknown=a", "field.unknown", /is not a declared field: POST \/v1\/search\/fields/],
    ["not.field.unknown=a", "field.unknown", /is not a declared field/],
    ["field.ip=a", "field.ip", /must be an IP address/],
    ["field.ms=a", "field.ms", /must be a number/],
    ["field.since=a", "field.since", /must be a time/],
    ["field.ip=", "field.ip", /must have at least 1 character/],
    ["field.=a", "field.", /is not a parameter/],
    ["field.a%20b=a", "field.a b", /is not a parameter/],
    [`field.ip=${"1".repeat(257)}`, "field.ip", /must have at most 256 characters/],
    [Array.from({ length: 11 }, () => "field.ms=1").join("&"), "field.ms", /at most 10 items/],
    ["field.agent=b%00", "field.agent", /U\+0000/],
  ])("%s", async (query, field, message) => {
    expectRefused(await client.get(`${PATH}?${query}`), "validation_error", { field, message });
  });

  test("a field that was deleted", async () => {
    const field = { path: "context.gone", name: "gone", type: "string" };
    const { body } = await client.post("/v1/search/fields", field);
    expect(await found("field.gone=a")).toEqual([]);
    await client.delete(`/v1/search/fields/${body.data.id}`);
    expectRefused(await client.get(`${PATH}?field.gone=a`), "validation_error", {
      field: "field.gone",
    });
  });
});
