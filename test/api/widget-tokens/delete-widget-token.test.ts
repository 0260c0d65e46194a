// DELETE /v1/widget-tokens/{id} ends a token at once, of the caller's account alone, and of its own key
// unless that has keys:manage (docs/interface.md).

import { newClient, newKey, ownerOf } from "@annals/testing";
import { afterAll, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { newToken } from "../../system/widget-client.ts";

const stack = inject("stack");
const { client, accountId } = await newClient(stack);
const owner = ownerOf(stack.databaseUrl);
const PATH = "/v1/widget-tokens";
afterAll(() => owner.close());

test("204: the token is refused from then on, and others are not", async () => {
  const [one, other] = [await newToken(client), await newToken(client)];
  expect((await one.widget.get("/v1/widget/events")).status).toBe(200);
  expect((await client.delete(`${PATH}/${one.id}`)).status).toBe(204);
  expectRefused(await one.widget.get("/v1/widget/events"), "authentication_error", {
    message: "The widget token is not valid, it has expired, or it was revoked.",
  });
  expect((await other.widget.get("/v1/widget/events")).status).toBe(200);
});

test("204: a key without keys:manage ends its own, a key with it any", async () => {
  const reader = client.as((await newKey(stack.databaseUrl, accountId, ["events:read"])).key);
  const [own, other] = [await newToken(reader), await newToken(reader)];
  expect((await reader.delete(`${PATH}/${own.id}`)).status).toBe(204);
  expect((await client.delete(`${PATH}/${other.id}`)).status).toBe(204);
});

describe("404", () => {
  test("one that another key has made, of a key without keys:manage; it stays valid", async () => {
    const reader = client.as((await newKey(stack.databaseUrl, accountId, ["events:read"])).key);
    const { id, widget } = await newToken(client);
    expectRefused(await reader.delete(`${PATH}/${id}`), "not_found");
    expect((await widget.get("/v1/widget/events")).status).toBe(200);
  });

  test("one that is revoked, and one that has expired", async () => {
    const [revoked, expired] = [await newToken(client), await newToken(client)];
    await client.delete(`${PATH}/${revoked.id}`);
    await owner.query("UPDATE keys.widget_tokens SET expires_at = created_at WHERE id = $1", [
      expired.id,
    ]);
    for (const { id } of [revoked, expired])
      expectRefused(await client.delete(`${PATH}/${id}`), "not_found");
  });

  test("one of another account, which stays valid", async () => {
    const { client: other } = await newClient(stack);
    const { id, widget } = await newToken(other);
    expectRefused(await client.delete(`${PATH}/${id}`), "not_found");
    expect((await widget.get("/v1/widget/events")).status).toBe(200);
  });

  test.each(["wtok_none", "key_1", "%00", "wtok_0000000000000000000000000a"])("%s", async (id) => {
    expectRefused(await client.delete(`${PATH}/${id}`), "not_found");
  });
});
