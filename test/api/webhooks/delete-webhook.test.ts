// DELETE /v1/webhooks/{id} deletes a webhook of the caller's account permanently (interface 9.1).

import { newClient, newKey } from "@annals/testing";
import { beforeEach, describe, expect, inject, test } from "vitest";
import { expectLimitShown, expectRefused } from "../refusal.ts";
import { URL_OF_NOBODY } from "../../system/bad-bodies.ts";

const stack = inject("stack");
const { databaseUrl } = stack;
const { accountId, client } = await newClient(stack);
let id: string;

beforeEach(async () => {
  const { body } = await client.post("/v1/webhooks", { url: URL_OF_NOBODY, events: ["*"] });
  id = body.data.id;
});

const remove = (by = client, which = id) => by.delete(`/v1/webhooks/${which}`);
const ids = async () =>
  (await client.get("/v1/webhooks")).body.data.map((one: { id: string }) => one.id);

test("204 without a body, and it is gone", async () => {
  const { status, headers, text } = await remove();
  expect([status, text]).toEqual([204, ""]);
  expectLimitShown(headers);
  expect(await ids()).not.toContain(id);
  expectRefused(await client.get(`/v1/webhooks/${id}/deliveries`), "not_found");
});

test("401 without a valid key", async () => {
  expectRefused(await remove(client.as(undefined)), "authentication_error");
  expect(await ids()).toContain(id);
});

test("403 without keys:manage", async () => {
  const { key } = await newKey(databaseUrl, accountId, ["events:write"]);
  expectRefused(await remove(client.as(key)), "scope_error", { message: /keys:manage/ });
  expect(await ids()).toContain(id);
});

describe("404", () => {
  test("for an id that does not exist", async () => {
    expectRefused(await remove(client, "wh_none"), "not_found");
  });

  test("for another account's webhook, which stays", async () => {
    const { client: other } = await newClient(stack);
    expectRefused(await remove(other), "not_found");
    expect(await ids()).toContain(id);
  });

  test("the second time", async () => {
    await remove();
    expectRefused(await remove(), "not_found");
  });
});
