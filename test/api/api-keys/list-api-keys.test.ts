// GET /v1/api-keys lists the live keys of the caller's account, newest first, and never a secret
// (interface 4.1).

import { HttpClient, newAccount, type TestAccount } from "@annals/testing";
import { beforeEach, describe, expect, inject, test } from "vitest";
import { expectLimitShown } from "../refusal.ts";

const { baseUrl, databaseUrl } = inject("stack");
const PATH = "/v1/api-keys";
let account: TestAccount;
let client: HttpClient;

beforeEach(async () => {
  account = await newAccount(databaseUrl);
  client = new HttpClient(baseUrl, account.key);
});

const listed = async (): Promise<string[]> =>
  (await client.get(PATH)).body.data.map(({ id }: { id: string }) => id);

describe("200", () => {
  test("lists what was created, newest first, without the key", async () => {
    const { body: created } = await client.post(PATH, { name: "second", scopes: ["verify"] });
    const { status, headers, body, text } = await client.get(PATH);
    expect(status).toBe(200);
    expectLimitShown(headers);
    expect(Object.keys(body)).toEqual(["data"]);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([created.data.id, account.keyId]);
    expect(Object.keys(body.data[0])).toEqual(["id", "name", "key_prefix", "scopes", "created_at"]);
    const { key, ...shown } = created.data;
    expect(body.data[0]).toEqual(shown);
    expect(text).not.toContain(key);
  });

  test("lists every key, however many, in one answer", async () => {
    const made = await Promise.all(
      Array.from({ length: 120 }, (_, n) => client.post(PATH, { name: `key ${n}` })),
    );
    const ids = new Set<string>(made.map(({ body }) => body.data.id));
    expect(new Set(await listed())).toEqual(ids.add(account.keyId));
  });

  test("a revoked key is gone from the list", async () => {
    const { data } = (await client.post(PATH, { name: "short-lived" })).body;
    await client.delete(`${PATH}/${data.id}`);
    expect(await listed()).toEqual([account.keyId]);
  });

  test("shows nothing of another account", async () => {
    await newAccount(databaseUrl);
    expect(await listed()).toEqual([account.keyId]);
  });
});
