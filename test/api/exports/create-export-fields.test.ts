// POST /v1/exports by outcome, by declared fields, and without what a filter leaves out
// (docs/search-fields.md). A field that is deleted afterwards changes nothing of an export that names it.

import { beforeAll, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { ended, exported, newExporter } from "../../system/exports-client.ts";

const { client } = await newExporter(inject("stack"), [
  { action: "a", context: { ip: "203.0.113.7" }, metadata: { outcome: "failure" } },
  { action: "b", context: { ip: "10.0.0.1" }, metadata: { outcome: "success" } },
  { action: "b", context: { ip: ["10.0.0.2", "203.0.113.9"] } },
]);
const FIELD = { path: "context.ip", name: "ip", type: "ip" };

let id: string;
beforeAll(async () => {
  ({ id } = (await client.post("/v1/search/fields", FIELD)).body.data);
});

const numbersOf = (text: string) =>
  text
    .split("\n")
    .slice(0, -2)
    .map((line) => JSON.parse(line).sequence_number);

describe("201", () => {
  test.each([
    [{ outcome: "failure" }, [1]],
    [{ outcome: ["fail*", "success"] }, [1, 2]],
    [{ fields: { ip: "203.0.113.0/24" } }, [1, 3]],
    [{ fields: { ip: ["10.0.0.1", "203.0.113.7"] }, action: "b" }, [2]],
    [{ not: { fields: { ip: "203.0.113.0/24" } } }, [2]],
    [{ not: { outcome: "*" } }, [3]],
    [{ not: { action: "a", outcome: "success" }, fields: { ip: "*" } }, [3]],
  ])("the filter %j", async (filter, expected) => {
    const { data, content } = await exported(client, { filter });
    expect(data.filter).toEqual(filter);
    expect(numbersOf(content.text)).toEqual(expected);
  });

  test("of a field that is deleted before the file is written", async () => {
    const other = { ...FIELD, name: "other" };
    const { data } = (await client.post("/v1/search/fields", other)).body;
    const filter = { fields: { other: "10.0.0.0/8" } };
    const made = await client.post("/v1/exports", { filter });
    await client.delete(`/v1/search/fields/${data.id}`);
    expect(await ended(client, made.body.data.id)).toMatchObject({ event_count: 2 });
    expectRefused(await client.post("/v1/exports", { filter, format: "csv" }), "validation_error", {
      field: "field.other",
    });
  });

  test("equal filters are one export, unless the field is another one of its name", async () => {
    const declare = (path: string) =>
      client.post("/v1/search/fields", { ...FIELD, path, name: "renewed" });
    const ask = async () => {
      const { body } = await client.post("/v1/exports", { filter: { fields: { renewed: "*" } } });
      return body.data.id;
    };
    const { data } = (await declare("context.ip")).body;
    const first = await ask();
    expect(await ask()).toBe(first);
    await client.delete(`/v1/search/fields/${data.id}`);
    await declare("context.other");
    const second = await ask();
    expect(second).not.toBe(first);
    expect(await ended(client, first)).toMatchObject({ event_count: 3 });
    expect(await ended(client, second)).toMatchObject({ event_count: 0 });
  });
});

describe("422", () => {
  test.each([
    [{ fields: { unknown: "a" } }, "field.unknown"],
    [{ not: { fields: { unknown: "a" } } }, "field.unknown"],
    [{ fields: { ip: "a" } }, "field.ip"],
    [{ fields: { "a b": "a" } }, "filter.fields"],
    [{ fields: { ip: [] } }, "filter.fields.ip"],
    [{ fields: "ip" }, "filter.fields"],
    [{ not: { after_sequence: 1 } }, "filter.not.after_sequence"],
    [{ not: { not: {} } }, "filter.not.not"],
    [{ "not.action": "a" }, 'filter["not.action"]'],
    [{ not: { outcome: "a\0" } }, "filter.not.outcome"],
  ])("%j: %s", async (filter, field) => {
    expectRefused(await client.post("/v1/exports", { filter }), "validation_error", { field });
  });

  test("the field of the test is still there", async () => {
    expect((await client.get("/v1/search/fields")).body.data[0].id).toBe(id);
  });
});
