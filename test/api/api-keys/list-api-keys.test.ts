// GET /v1/api-keys lists the live keys of the caller's account, newest first, in pages of at most 100, and
// never a secret (interface 5).

import { HttpClient, newAccount, type TestAccount } from "@annals/testing";
import { beforeEach, describe, expect, inject, test } from "vitest";
import { storeKeys } from "../../system/many.ts";
import { expectLimitShown, expectRefused } from "../refusal.ts";

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
    expect(body).toMatchObject({ has_more: false, next_cursor: null });
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([created.data.id, account.keyId]);
    expect(Object.keys(body.data[0])).toEqual(["id", "name", "key_prefix", "scopes", "created_at"]);
    const { key, ...shown } = created.data;
    expect(body.data[0]).toEqual(shown);
    expect(text).not.toContain(key);
  });

  test("100 by default and at most; the pages after each other hold every key once, newest first", async () => {
    await storeKeys(account.accountId, 204);
    const all: { id: string; created_at: string }[] = [];
    const sizes: number[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const query = cursor === "" ? "" : `?cursor=${cursor}`;
      const { body } = await client.get(`${PATH}${query}`);
      expect(body.has_more).toBe(body.next_cursor !== null);
      all.push(...body.data);
      sizes.push(body.data.length);
      cursor = body.next_cursor;
    }
    expect(sizes).toEqual([100, 100, 5]);
    const ids = all.map(({ id }) => id);
    expect(new Set(ids).size).toBe(205);
    const order = all.toSorted((a, b) =>
      `${a.created_at}${a.id}` < `${b.created_at}${b.id}` ? 1 : -1,
    );
    expect(all).toEqual(order);
    const { body } = await client.get(`${PATH}?limit=3`);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 3));
  });

  test("a page that is full and the last one says so", async () => {
    await storeKeys(account.accountId, 99);
    const { body } = await client.get(`${PATH}?limit=100`);
    expect([body.data.length, body.has_more, body.next_cursor]).toEqual([100, false, null]);
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

describe("422", () => {
  test.each([
    ["?limit=0", "limit"],
    ["?limit=101", "limit"],
    ["?cursor=x", "cursor"],
    ["?cursor=", "cursor"],
    ["?page=2", "page"],
  ])("%s", async (query, field) => {
    expectRefused(await client.get(`${PATH}${query}`), "validation_error", { field });
  });

  test("a cursor of another list", async () => {
    const cursor = Buffer.from("1.2026-01-01T00:00:00.000000Z.wh_0").toString("base64url");
    expectRefused(await client.get(`${PATH}?cursor=${cursor}`), "validation_error", {
      field: "cursor",
    });
  });
});
