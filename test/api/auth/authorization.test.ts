// Every request under /v1 needs one valid key in the Authorization header; without it the answer is
// 401 with type and code, whatever the path, and nothing is done (interface 2 and 4).

import { keyHash, mintKey } from "@annals/contract";
import { HttpClient, newAccount, newKey, ownerOf } from "@annals/testing";
import { request } from "node:http";
import { afterAll, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";

const { baseUrl, databaseUrl } = inject("stack");
const account = await newAccount(databaseUrl);
const PATH = "/v1/api-keys";
const MISSING = "Send the header `Authorization: Bearer <API key>`.";
const NOT_ONE_KEY = "The Authorization header must be `Bearer` and one API key.";
const INVALID = "The API key is not valid, it has expired, or it was revoked.";
const anonymous = new HttpClient(baseUrl);
const owner = ownerOf(databaseUrl);

afterAll(() => owner.close());

const withHeader = (authorization: string) => anonymous.get(PATH, { headers: { authorization } });

/** Another character in place of the one at `place`, which may be negative. */
function altered(key: string, place: number): string {
  const at = place < 0 ? key.length + place : place;
  return key.slice(0, at) + (key[at] === "A" ? "B" : "A") + key.slice(at + 1);
}

describe("200", () => {
  test.each(["Bearer", "bearer", "BEARER", "bEaReR"])("the scheme %s", async (scheme) => {
    expect((await withHeader(`${scheme} ${account.key}`)).status).toBe(200);
  });

  test("spaces around the key", async () => {
    expect((await withHeader(`Bearer    ${account.key}  `)).status).toBe(200);
  });

  test("a key that the operator brought, without checksum", async () => {
    const key = "annals_sk_a-key_of-16-or-more";
    const { accountId, keyId } = await newKey(databaseUrl, account.accountId);
    await owner.query(
      "UPDATE keys.api_keys SET secret_sha256 = $3 WHERE account_id = $1 AND id = $2",
      [accountId, keyId, keyHash(key)],
    );
    expect((await withHeader(`Bearer ${key}`)).status).toBe(200);
  });
});

describe("401", () => {
  test("no header", async () => {
    const answer = await anonymous.get(PATH);
    expectRefused(answer, "authentication_error", { message: MISSING });
    expect(answer.body.error).toEqual({
      type: "authentication_error",
      code: "unauthorized",
      message: MISSING,
    });
  });

  test.each([
    ["an empty header", () => ""],
    ["the scheme alone", () => "Bearer"],
    ["the scheme and spaces", () => "Bearer   "],
    ["no scheme", () => account.key],
    ["no space after the scheme", () => `Bearer${account.key}`],
    ["a tab after the scheme", () => `Bearer\t${account.key}`],
    ["the scheme Basic", () => `Basic ${account.key}`],
    ["the scheme Token", () => `Token ${account.key}`],
    ["a scheme with more letters", () => `Bearers ${account.key}`],
    ["two keys", () => `Bearer ${account.key} ${account.key}`],
    ["the scheme twice", () => `Bearer Bearer ${account.key}`],
  ])("%s", async (_, header) => {
    expectRefused(await withHeader(header()), "authentication_error", { message: NOT_ONE_KEY });
  });

  test.each([
    ["a comma and another", () => `${account.key},${account.key}`],
    ["quotes", () => `"${account.key}"`],
    ["one character less", () => account.key.slice(0, -1)],
    ["one character more", () => `${account.key}A`],
    ["the first character of the secret altered", () => altered(account.key, 10)],
    ["the last character of the secret altered", () => altered(account.key, -7)],
    ["the checksum altered", () => altered(account.key, -1)],
    ["upper case", () => account.key.toUpperCase()],
    ["no prefix", () => account.key.replace("annals", "")],
    ["another prefix", () => account.key.replace("annals", "other")],
    ["another marker", () => account.key.replace("_sk_", "_pk_")],
    ["the id in place of the key", () => account.keyId],
    ["the shown prefix in place of the key", () => `${account.key.slice(0, 14)}...aa`],
    ["a key too short", () => "annals_sk_short"],
    ["a key of 10,000 characters", () => `annals_sk_${"a".repeat(10_000)}`],
    ["SQL", () => "annals_sk_'OR'1'='1"],
    ["characters beyond ASCII", () => "annals_sk_é\u00ff\u00feaaaaaaaaaaaaaaaa"],
    ["a well-formed key that was never minted", () => mintKey("annals")],
  ])("a key with %s", async (_, key) => {
    expectRefused(await withHeader(`Bearer ${key()}`), "authentication_error", {
      message: INVALID,
    });
  });

  test("a revoked key, and it stays so", async () => {
    const other = await newKey(databaseUrl, account.accountId);
    const manager = anonymous.as(account.key);
    expect((await manager.delete(`${PATH}/${other.keyId}`)).status).toBe(204);
    for (let n = 0; n < 3; n++) {
      const answer = await anonymous.as(other.key).get(PATH);
      expectRefused(answer, "authentication_error", { message: INVALID });
    }
  });

  test("two Authorization headers, were both good", async () => {
    const value = `Bearer ${account.key}`;
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request(baseUrl + PATH, { headers: { Authorization: [value, value] } });
      sent.on("response", (response) => resolve(response.resume().statusCode));
      sent.on("error", reject);
      sent.end();
    });
    expect(status).toBe(401);
  });

  test.each([
    ["the query", `${PATH}?api_key=`],
    ["the query", `${PATH}?access_token=`],
  ])("the key in %s instead of the header: %s", async (_, path) => {
    expectRefused(await anonymous.get(path + account.key), "authentication_error");
  });

  test.each([
    ["GET", "/v1/nope"],
    ["PUT", PATH],
    ["POST", "/v1/events"],
    ["DELETE", `${PATH}/key_1`],
    ["GET", "/v1"],
    ["GET", "/v1/"],
  ])("comes before all else: %s %s", async (method, path) => {
    const sent = method === "GET" ? {} : { body: "{" };
    expectRefused(await anonymous.send(method, path, sent), "authentication_error");
  });

  test("never repeats a key", async () => {
    const key = altered(account.key, -1);
    expect((await withHeader(`Bearer ${key}`)).text).not.toContain(key.slice(10));
  });
});
