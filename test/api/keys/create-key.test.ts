// POST /v1/keys is the other form of creating a key: the same rules, an answer without wrapper and
// without key_prefix (interface 5). No other operation exists under /v1/keys but DELETE.

import { SCOPES } from "@annals/contract";
import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { BAD_JSON, BAD_NAMES, BAD_RESTRICTIONS, BAD_SCOPES } from "../api-keys/bad-bodies.ts";
import { expectLimitShown, expectRefused } from "../refusal.ts";

const stack = inject("stack");
const { client } = await newClient(stack);
const PATH = "/v1/keys";

describe("201", () => {
  test("answers with the bare object of section 5 of the interface", async () => {
    const { status, headers, body } = await client.post(PATH, { name: " ci ", scopes: ["verify"] });
    expect(status).toBe(201);
    expectLimitShown(headers);
    expect(Object.keys(body)).toEqual(["id", "name", "key", "scopes", "created_at"]);
    expect(body).toMatchObject({ name: "ci", scopes: ["verify"] });
    expect(body.id).toMatch(/^key_[0-9a-z]{26}$/);
    expect(body.key).toMatch(/^annals_sk_[0-9A-Za-z]{46}$/);
    expect(body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect((await client.as(body.key).get("/v1/verify")).status).toBe(200);
  });

  test("the key is in the list of the first form, all scopes by default", async () => {
    const { key: _key, ...created } = (await client.post(PATH, { name: "all" })).body;
    expect(created.scopes).toEqual(SCOPES);
    const { data } = (await client.get("/v1/api-keys")).body;
    expect(data[0]).toMatchObject(created);
  });
});

describe("404", () => {
  test.each([
    ["GET", PATH],
    ["GET", `${PATH}/key_1`],
    ["PATCH", `${PATH}/key_1`],
    ["PUT", PATH],
    ["DELETE", PATH],
  ])("%s %s is no operation", async (method, path) => {
    const answer = await client.send(method, path, { body: method === "GET" ? undefined : {} });
    expectRefused(answer, "not_found", { message: `No route matches ${method} ${path}.` });
  });
});

describe("422", () => {
  test.each([...BAD_NAMES, ...BAD_JSON, ...BAD_SCOPES, ...BAD_RESTRICTIONS])(
    "$what",
    async (bad) => {
      const { body, headers, field, message } = bad;
      const answer = await client.post(PATH, body, headers && { headers });
      expectRefused(answer, "validation_error", { field, message });
    },
  );
});
