// PATCH /v1/sinks/{id} changes what is named and nothing else; a configuration is replaced whole
// (docs/interface.md).

import { newClient, ownerOf } from "@annals/testing";
import { afterAll, beforeEach, describe, expect, inject, test } from "vitest";
import { BAD_FILTERS, GOOD_FILTERS } from "../../system/bad-bodies.ts";
import { expectLimitShown, expectRefused } from "../refusal.ts";
import { BAD_CONFIGS, BAD_MEMBERS, SECRET, SINK, SINKS, storedOf } from "./sink-bodies.ts";

const stack = inject("stack");
const { accountId, client } = await newClient(stack);
const owner = ownerOf(stack.databaseUrl);
let created: { readonly id: string };

beforeEach(async () => {
  await owner.query("DELETE FROM webhooks.sinks WHERE account_id = $1", [accountId]);
  created = (await client.post("/v1/sinks", { ...SINK, active: false })).body.data;
});
afterAll(() => owner.close());

const update = (body: unknown, by = client, id = created.id) => by.patch(`/v1/sinks/${id}`, body);

describe("200", () => {
  test.each([
    { format: "ecs" },
    { leave_out: ["context", "diff"] },
    { include_proof: true },
    { on_rejected: "skip" },
    { format: "ocsf", mapping: { "a.*": { class: "account_change" } } },
    {},
  ])("%j is changed, and the rest stays", async (changes) => {
    const { status, headers, body } = await update(changes);
    expect(status).toBe(200);
    expectLimitShown(headers);
    expect(body).toEqual({ data: { ...created, ...changes } });
    expect((await client.get(`/v1/sinks/${created.id}`)).body).toEqual(body);
  });

  test("paused and active again", async () => {
    const on = { active: true, status: "active" };
    expect((await update({ active: true })).body.data).toEqual({ ...created, ...on });
    const off = { active: false, status: "paused" };
    expect((await update({ active: false })).body.data).toEqual({ ...created, ...off });
  });

  test("a configuration takes the place of the whole one before, with its secrets", async () => {
    const url = "https://other.annals.invalid/";
    const { body } = await update({ type: "http", config: { url } });
    const config = { url, headers: {}, body: "jsonl", compress: false };
    expect(body.data).toEqual({ ...created, config });
    const answer = await update({ type: "http", config: SINKS[0].config });
    expect(answer.body.data).toEqual(created);
    expect(answer.text).not.toContain(SECRET);
    expect(await storedOf(stack.databaseUrl, accountId)).not.toContain(SECRET);
  });

  test.each(GOOD_FILTERS)(
    "the filter %j is set, and stays until it is removed",
    async (filter, shown) => {
      expect((await update({ filter })).body.data.filter).toEqual(shown);
      expect((await update({ format: "ecs" })).body.data.filter).toEqual(shown);
      expect("filter" in (await update({ filter: null })).body.data).toBe(false);
    },
  );

  test("a mapping stays until it is removed", async () => {
    const mapping = { "a.b": { class: "account_change" } };
    await update({ format: "ocsf", mapping });
    expect((await update({ active: false })).body.data.mapping).toEqual(mapping);
    expectRefused(await update({ format: "ecs" }), "validation_error", { field: "mapping" });
    const { body } = await update({ format: "ecs", mapping: null });
    expect("mapping" in body.data).toBe(false);
  });
});

describe("404", () => {
  test("for an id that does not exist, and for another account's sink, which stays as it is", async () => {
    for (const id of ["sink_none", "x", "%00", "sink_".padEnd(500, "x")])
      expectRefused(await update({ active: true }, client, id), "not_found");
    const { client: other } = await newClient(stack);
    expectRefused(await update({ active: true }, other), "not_found");
    expect((await client.get("/v1/sinks")).body.data).toEqual([created]);
  });
});

const BAD_BODIES: readonly (readonly [body: unknown, field: string])[] = [
  [{ config: SINKS[0].config }, "type"],
  [{ type: "http" }, "config"],
  [{ type: "syslog", config: SINKS[3].config }, "type"],
  [{ from: 1 }, "from"],
  [[], "body"],
  ...BAD_MEMBERS,
];

describe("422", () => {
  test.each(BAD_BODIES)("%j names %s", async (body, field) => {
    expectRefused(await update(body), "validation_error", { field });
  });

  test.each(BAD_CONFIGS.filter(([type]) => type === "http"))(
    "%j %j names %s",
    async (type, config, field) => {
      expectRefused(await update({ type, config }), "validation_error", { field });
    },
  );

  test.each(BAD_FILTERS)("the filter %j names %s", async (filter, field) => {
    expectRefused(await update({ filter }), "validation_error", { field });
  });

  test("nothing of it is changed", async () => {
    await update({ type: "http", config: { url: "https://10.0.0.1/" }, active: true });
    expect((await client.get("/v1/sinks")).body.data).toEqual([created]);
  });
});
