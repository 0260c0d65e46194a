// DELETE /v1/exports/{id} deletes an export of the caller's account permanently, in every status
// (docs/exports.md). That its files go too is in services/export/src/exports/worker/export-sweep.test.ts.

import { newClient, ownerOf } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { expectLimitShown, expectRefused } from "../refusal.ts";
import { exported, newExporter } from "../../system/exports-client.ts";
import { insertJobs } from "./export-rows.ts";

const stack = inject("stack");
const owner = ownerOf(stack.databaseUrl);
const { account, client } = await newExporter(stack, [{ action: "a" }]);
const { accountId } = account;

const remove = (id: string, by = client) => by.delete(`/v1/exports/${id}`);
const ids = async () =>
  (await client.get("/v1/exports")).body.data.map((one: { id: string }) => one.id);

beforeAll(async () => {
  for (const status of ["pending", "running", "failed"])
    await insertJobs(owner, { accountId, status, ids: [`exp_${status}`] });
});

afterAll(() => owner.close());

describe("204 without a body, and it is gone", () => {
  test("a completed export", async () => {
    const { id } = (await exported(client, {})).data;
    const { status, headers, text } = await remove(id);
    expect([status, text]).toEqual([204, ""]);
    expectLimitShown(headers);
    expect(await ids()).not.toContain(id);
    expectRefused(await client.get(`/v1/exports/${id}`), "not_found");
    expectRefused(await client.get(`/v1/exports/${id}/content`), "not_found");
  });

  test.each(["exp_pending", "exp_running", "exp_failed"])("%s", async (id) => {
    expect(await ids()).toContain(id);
    expect((await remove(id)).status).toBe(204);
    expect(await ids()).not.toContain(id);
    expectRefused(await client.get(`/v1/exports/${id}`), "not_found");
  });
});

describe("404", () => {
  test.each(["exp_unknown", "exp_", "x", "%00"])("the id %s", async (id) => {
    expectRefused(await remove(id), "not_found");
  });

  test("another account's export, which stays", async () => {
    const { id } = (await exported(client, {})).data;
    const { client: other } = await newClient(stack);
    expectRefused(await remove(id, other), "not_found");
    expect(await ids()).toContain(id);
  });

  test("the second time", async () => {
    const { id } = (await exported(client, {})).data;
    await remove(id);
    expectRefused(await remove(id), "not_found");
  });
});
