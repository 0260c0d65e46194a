// POST and PATCH /v1/webhooks, and the same of sinks, by declared fields (docs/search-fields.md). What is
// selected is compared with lists in test/flows/filters-as-lists.test.ts.

import { MAX_WEBHOOK_FIELDS } from "@annals/contract";
import { newClient } from "@annals/testing";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { URL_OF_NOBODY } from "../../system/bad-bodies.ts";
import { expectRefused } from "../refusal.ts";

const { client } = await newClient(inject("stack"));
const FIELD = { path: "context.ip", name: "ip", type: "ip" };

beforeAll(async () => {
  await client.post("/v1/search/fields", FIELD);
  await client.post("/v1/search/fields", {
    path: "context.outcome",
    name: "outcome",
    type: "string",
  });
});

/** Each kind with a filter: created, and changed. */
const ROUTES = {
  webhooks: (filter: unknown, options?: object) =>
    client.post("/v1/webhooks", { url: URL_OF_NOBODY, events: ["event.created"], filter }, options),
  sinks: (filter: unknown, options?: object) => {
    const config = { url: URL_OF_NOBODY };
    return client.post("/v1/sinks", { type: "http", config, active: false, filter }, options);
  },
};

describe.each(["webhooks", "sinks"] as const)("%s", (kind) => {
  const create = ROUTES[kind];
  const update = async (filter: unknown) => {
    const { body } = await create({ action: "a" });
    const answer = await client.patch(`/v1/${kind}/${body.data.id}`, { filter });
    await client.delete(`/v1/${kind}/${body.data.id}`);
    return answer;
  };

  test.each([
    [{ fields: { ip: "203.0.113.0/24" } }, { fields: { ip: ["203.0.113.0/24"] } }],
    [
      { outcome: "a", fields: { outcome: ["b", "c"] }, not: { outcome: "d", fields: { ip: "*" } } },
      {
        outcome: ["a"],
        fields: { outcome: ["b", "c"] },
        not: { outcome: ["d"], fields: { ip: ["*"] } },
      },
    ],
  ])("the filter %j is shown with its names", async (filter, shown) => {
    const made = await create(filter);
    expect([made.status, made.body.data?.filter]).toEqual([201, shown]);
    const { body } = await client.get(`/v1/${kind}?limit=1`);
    expect(body.data[0].filter).toEqual(shown);
    await client.delete(`/v1/${kind}/${made.body.data.id}`);
    expect((await update(filter)).body.data.filter).toEqual(shown);
  });

  test.each([
    [{ fields: { unknown: "a" } }, "field.unknown"],
    [{ not: { fields: { unknown: "a" } } }, "field.unknown"],
    [{ fields: { ip: "a" } }, "field.ip"],
    [{ fields: { "a b": "a" } }, "filter.fields"],
    [{ fields: { ip: [] } }, "filter.fields.ip"],
    [{ fields: "ip" }, "filter.fields"],
    [{ fields: { ip: Array(11).fill("*") } }, "filter.fields.ip"],
  ])("422: the filter %j names %s", async (filter, field) => {
    expectRefused(await create(filter), "validation_error", { field });
    expectRefused(await update(filter), "validation_error", { field });
  });

  test("an undeclared field is refused with the route that declares one", async () => {
    const { body } = await create({ fields: { unknown: "a" } });
    expect(JSON.stringify(body)).toContain("POST /v1/search/fields");
  });

  test("a deleted field is still shown, and another of its name changes nothing", async () => {
    const declared = await client.post("/v1/search/fields", { ...FIELD, name: "gone" });
    const { body } = await create({ fields: { gone: "10.0.0.1" } });
    await client.delete(`/v1/search/fields/${declared.body.data.id}`);
    const { data } = (await client.get(`/v1/${kind}?limit=1`)).body;
    expect(data[0].filter).toEqual({ fields: { gone: ["10.0.0.1"] } });
    await client.delete(`/v1/${kind}/${body.data.id}`);
  });

  test("a retry with the key of a request that named a field gets its answer after the field was deleted", async () => {
    const declared = await client.post("/v1/search/fields", { ...FIELD, name: "retried" });
    const send = (value: string, key: string) =>
      create({ fields: { retried: value } }, { headers: { "idempotency-key": key } });
    const first = await send("10.0.0.1", `${kind} one`);
    expect(first.status).toBe(201);
    await client.delete(`/v1/search/fields/${declared.body.data.id}`);
    const again = await send("10.0.0.1", `${kind} one`);
    expect([again.status, again.headers["idempotent-replayed"]]).toEqual([201, "true"]);
    const { secret: _, ...shown } = first.body.data;
    expect(again.body.data).toEqual(shown);
    const other = await send("10.0.0.2", `${kind} one`);
    expectRefused(other, "validation_error", { field: "Idempotency-Key" });
    const unknown = await send("10.0.0.1", `${kind} two`);
    expectRefused(unknown, "validation_error", { field: "field.retried" });
    await client.delete(`/v1/${kind}/${first.body.data.id}`);
  });
});

test(`the webhooks of an account name at most ${MAX_WEBHOOK_FIELDS} different fields`, async () => {
  const { client: own } = await newClient(inject("stack"));
  const url = { url: URL_OF_NOBODY, events: ["event.created"] };
  const named = async (at: number) => {
    const { body } = await own.post("/v1/search/fields", {
      path: `context.f${at}`,
      type: "string",
    });
    const filter = { outcome: "a", fields: { [`context.f${at}`]: "a" } };
    const answer = await own.post("/v1/webhooks", { ...url, filter });
    await own.delete(`/v1/search/fields/${body.data.id}`);
    return answer;
  };
  for (let at = 0; at < MAX_WEBHOOK_FIELDS; at += 1) expect((await named(at)).status).toBe(201);
  const refused = await named(MAX_WEBHOOK_FIELDS);
  expectRefused(refused, "validation_error", { field: "filter.fields" });
  const first = await own.post("/v1/search/fields", { path: "context.f0", type: "string" });
  expect(first.status).toBe(201);
  const again = await own.post("/v1/webhooks", {
    ...url,
    filter: { fields: { "context.f0": "b" } },
  });
  expect(again.status).toBe(201);
});
