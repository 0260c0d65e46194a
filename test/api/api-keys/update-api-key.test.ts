// PATCH /v1/api-keys/{id} renames a key of the caller's account and changes nothing else (interface 5).

import { newAccount, newClient, newKey } from "@annals/testing";
import { beforeEach, describe, expect, inject, test } from "vitest";
import { BAD_JSON, BAD_NAMES, BAD_RESTRICTIONS } from "./bad-bodies.ts";
import { expectLimitShown, expectRefused } from "../refusal.ts";

const stack = inject("stack");
const { databaseUrl } = stack;
const account = await newClient(stack);
const { client } = account;
let created: { readonly id: string; readonly key: string; readonly name: string };

beforeEach(async () => {
  const body = { name: "old", scopes: ["verify"] };
  created = (await client.post("/v1/api-keys", body)).body.data;
});

const rename = (body: unknown, id = created.id, by = client) =>
  by.patch(`/v1/api-keys/${id}`, body);

describe("200", () => {
  test("answers with the key under its new name, without the key itself", async () => {
    const { status, headers, body, text } = await rename({ name: "new" });
    expect(status).toBe(200);
    expectLimitShown(headers);
    expect(Object.keys(body)).toEqual(["data"]);
    const { key, ...shown } = created;
    expect(body.data).toEqual({ ...shown, name: "new" });
    expect(Object.keys(body.data)).toEqual(["id", "name", "key_prefix", "scopes", "created_at"]);
    expect(text).not.toContain(key);
    expect((await client.get("/v1/api-keys")).body.data).toContainEqual(body.data);
  });

  test("the key goes on working, with the same scopes", async () => {
    await rename({ name: "new" });
    expect((await client.as(created.key).get("/v1/verify")).status).toBe(200);
    expectRefused(await client.as(created.key).get("/v1/api-keys"), "scope_error");
  });

  test("trims, and takes 255 characters", async () => {
    expect((await rename({ name: "  new " })).body.data.name).toBe("new");
    const name = "🔑".repeat(255);
    expect((await rename({ name })).body.data.name).toBe(name);
  });

  test("changes and removes the expiry and the addresses, each alone, and leaves what is left out", async () => {
    const expires_at = "2030-01-31T09:30:00.000000Z";
    const set = (await rename({ name: "a", expires_at })).body.data;
    expect(set).toMatchObject({ name: "a", expires_at });
    expect(set).not.toHaveProperty("allowed_ips");
    const both = (await rename({ name: "b", allowed_ips: ["192.0.2.0/24"] })).body.data;
    expect(both).toMatchObject({ name: "b", expires_at, allowed_ips: ["192.0.2.0/24"] });
    expect((await rename({ name: "c" })).body.data).toEqual({ ...both, name: "c" });
    const ips = (await rename({ name: "d", expires_at: null })).body.data;
    expect(ips).toMatchObject({ allowed_ips: ["192.0.2.0/24"] });
    expect(ips).not.toHaveProperty("expires_at");
    const none = (await rename({ name: "e", allowed_ips: null })).body.data;
    expect(none).not.toHaveProperty("allowed_ips");
    expect((await client.as(created.key).get("/v1/verify")).status).toBe(200);
  });

  test("a key may rename itself, and to the name it has", async () => {
    expect((await rename({ name: "test" }, account.keyId)).status).toBe(200);
  });
});

describe("404", () => {
  test("a key of another account, which stays as it is", async () => {
    const stranger = await newAccount(databaseUrl);
    const answer = await rename({ name: "mine" }, stranger.keyId);
    expectRefused(answer, "not_found", { message: `No API key has the id "${stranger.keyId}".` });
    const { data } = (await client.as(stranger.key).get("/v1/api-keys")).body;
    expect(data[0].name).toBe("test");
  });

  test("a revoked key", async () => {
    await client.delete(`/v1/api-keys/${created.id}`);
    expectRefused(await rename({ name: "x" }), "not_found");
  });

  test.each(["key_nope", "x", "%00", "%20", "🔑", "..%2f", "'--", "k".repeat(500)])(
    "the id %s",
    async (id) => {
      expectRefused(await rename({ name: "x" }, encodeURI(decodeURI(id))), "not_found");
    },
  );
});

describe("422", () => {
  test.each([...BAD_NAMES, ...BAD_JSON, ...BAD_RESTRICTIONS])(
    "$what",
    async ({ body, headers, field, message }) => {
      const path = `/v1/api-keys/${created.id}`;
      const answer = await client.patch(path, body, headers && { headers });
      expectRefused(answer, "validation_error", { field, message });
    },
  );

  test.each([[["verify"]], [[]], [null]])("scopes %j, even those that it has", async (scopes) => {
    expectRefused(await rename({ name: "new", scopes }), "validation_error", {
      field: "scopes",
      message: "scopes: cannot be changed",
    });
    const { data } = (await client.get("/v1/api-keys")).body;
    expect(data[0].name).toBe("old");
  });

  test("a bad name is refused before the key is looked for", async () => {
    expectRefused(await rename({ name: "" }, "key_nope"), "validation_error");
  });
});

test("another key of the account is another key", async () => {
  const second = await newKey(databaseUrl, account.accountId);
  await rename({ name: "new" });
  const { data } = (await client.get("/v1/api-keys")).body;
  expect(data.find(({ id }: { id: string }) => id === second.keyId).name).toBe("test");
});
