// GET /v1/api-keys lists the live keys of the caller's account, newest first, and never a secret (interface 4.1).

import { HttpClient, newAccount, type TestAccount } from "@annals/testing";
import { beforeAll, describe, expect, inject, test } from "vitest";

const { baseUrl, databaseUrl } = inject("stack");
let account: TestAccount;
let client: HttpClient;

beforeAll(async () => {
  account = await newAccount(databaseUrl);
  client = new HttpClient(baseUrl, account.key);
});

describe("200", () => {
  test("lists what was created, newest first, without the key", async () => {
    const { body: created } = await client.post("/v1/api-keys", { name: "second" });
    const { status, body } = await client.get("/v1/api-keys");
    expect(status).toBe(200);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([created.data.id, account.keyId]);
    expect(Object.keys(body.data[0])).toEqual(["id", "name", "key_prefix", "scopes", "created_at"]);
  });
});
