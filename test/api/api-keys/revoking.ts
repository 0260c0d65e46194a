// What both forms of revoking a key promise (interface 5): DELETE /v1/api-keys/{id} and
// DELETE /v1/keys/{key_id}.

import { HttpClient, newAccount, type TestAccount } from "@annals/testing";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expectLimitShown, expectRefused } from "../refusal.ts";

interface Stack {
  readonly baseUrl: string;
  readonly databaseUrl: string;
}

/** `path` is the collection: /v1/api-keys or /v1/keys. */
export function describeRevoking(path: string, { baseUrl, databaseUrl }: Stack): void {
  let account: TestAccount;
  let client: HttpClient;
  let created: { readonly id: string; readonly key: string };

  beforeAll(async () => {
    account = await newAccount(databaseUrl);
    client = new HttpClient(baseUrl, account.key);
  });

  beforeEach(async () => {
    const body = { name: "short-lived", scopes: ["verify"] };
    created = (await client.post("/v1/api-keys", body)).body.data;
  });

  const revoke = (id: string, by = client) => by.delete(`${path}/${id}`);

  describe("204", () => {
    test("has no body, and the key is refused from then on", async () => {
      expect((await client.as(created.key).get("/v1/verify")).status).toBe(200);
      const { status, headers, text } = await revoke(created.id);
      expect(status).toBe(204);
      expect(text).toBe("");
      expect(headers).not.toHaveProperty("content-type");
      expect(headers).not.toHaveProperty("content-length");
      expectLimitShown(headers);
      expectRefused(await client.as(created.key).get("/v1/verify"), "authentication_error");
      expect((await client.get("/v1/api-keys")).text).not.toContain(created.id);
    });

    test("a key may revoke itself", async () => {
      const own = (await client.post("/v1/api-keys", { name: "own" })).body.data;
      expect((await revoke(own.id, client.as(own.key))).status).toBe(204);
      expectRefused(await client.as(own.key).get("/v1/api-keys"), "authentication_error");
    });

    test("of ten that revoke at one time one succeeds and nine find nothing", async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => revoke(created.id)));
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 204)).toHaveLength(1);
      expect(statuses.filter((status) => status === 404)).toHaveLength(9);
    });
  });

  test("401 without a valid key, and the key goes on working", async () => {
    expectRefused(await revoke(created.id, client.as(undefined)), "authentication_error");
    expect((await client.as(created.key).get("/v1/verify")).status).toBe(200);
  });

  test("403 without keys:manage, of itself even", async () => {
    expectRefused(await revoke(created.id, client.as(created.key)), "scope_error", {
      message: /keys:manage/,
    });
    expect((await client.as(created.key).get("/v1/verify")).status).toBe(200);
  });

  describe("404", () => {
    test("a key that is revoked already", async () => {
      await revoke(created.id);
      expectRefused(await revoke(created.id), "not_found", {
        message: `No API key has the id "${created.id}".`,
      });
    });

    test("a key of another account, which goes on working", async () => {
      const stranger = await newAccount(databaseUrl);
      expectRefused(await revoke(stranger.keyId), "not_found");
      expect((await client.as(stranger.key).get("/v1/verify")).status).toBe(200);
    });

    test.each(["key_nope", "%00", "%F0%9F%94%91", "..%2F..", "*", "k".repeat(500)])(
      "the id %s",
      async (id) => {
        expectRefused(await revoke(id), "not_found");
      },
    );
  });

  test("422 for an unknown query parameter, and the key goes on working", async () => {
    const answer = await client.delete(`${path}/${created.id}?force=1`);
    expectRefused(answer, "validation_error", { field: "force" });
    expect((await client.as(created.key).get("/v1/verify")).status).toBe(200);
  });
}
