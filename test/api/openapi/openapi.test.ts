// /openapi.json is a valid OpenAPI 3.1 document of exactly the operations of v1.ts, says of every
// open detail that it is one, and says the truth: every answer of the running gateway fits the
// schema that the document gives it.

import { V1 } from "@annals/gateway/src/v1.ts";
import { type Answer, newClient, newKey } from "@annals/testing";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, inject, test } from "vitest";
import { everyObject, everySchema, type Json, operationsOf, resolve } from "./document.ts";

const stack = inject("stack");
const { databaseUrl } = stack;
const account = await newClient(stack);
const { client } = account;
const MARK = "x-annals-open-detail";
const MEMBERS = ["openapi", "info", "servers", "security", "paths", "components"];
const answer = await client.as(undefined).get("/openapi.json");
const document: Json = answer.body;
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
for (const name of [MARK, ...MEMBERS]) ajv.addKeyword(name);
ajv.addSchema(document, "openapi.json");

const operationOf = (method: string, path: string): Json =>
  document.paths[`/v1${path.replaceAll(/:(\w+)/g, "{$1}")}`]?.[method.toLowerCase()];

test("is served to everyone", () => {
  expect(answer.status).toBe(200);
  expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
});

describe("a valid document", () => {
  test("holds what OpenAPI 3.1 requires at its top", () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: "Annals", version: expect.stringMatching(/./) });
    expect(MEMBERS).toEqual(expect.arrayContaining(Object.keys(document)));
    for (const need of document.security) {
      for (const name of Object.keys(need)) {
        expect(document.components.securitySchemes[name]).toMatchObject({ type: "http" });
      }
    }
  });

  test("every reference leads somewhere", () => {
    let seen = 0;
    for (const [, node] of everyObject(document)) {
      if (typeof node.$ref !== "string") continue;
      seen += 1;
      expect(resolve(document, node)).toBeTypeOf("object");
    }
    expect(seen).toBeGreaterThan(50);
  });

  test("every schema is valid JSON Schema 2020-12", () => {
    let seen = 0;
    for (const [path, schema] of everySchema(document)) {
      expect(ajv.validateSchema(schema), `${path}: ${ajv.errorsText()}`).toBe(true);
      seen += 1;
    }
    expect(seen).toBeGreaterThan(30);
  });

  test("the parameters of a path are those in its template, and required", () => {
    for (const { path, operation } of operationsOf(document)) {
      const named = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name);
      const parameters = operation.parameters ?? [];
      const inPath = parameters.filter((each: Json) => each.in === "path");
      expect(inPath.map(({ name }: Json) => name)).toEqual(named);
      for (const each of inPath) expect(each.required).toBe(true);
      for (const each of parameters) {
        expect(["path", "query", "header"]).toContain(each.in);
        expect(each.schema).toBeTypeOf("object");
      }
      const keys = parameters.map((each: Json) => `${each.in} ${each.name}`);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  test("every answer has a description, the rate-limit headers, and a body but for 204", () => {
    for (const { method, path, operation } of operationsOf(document)) {
      for (const [status, given] of Object.entries<Json>(operation.responses)) {
        const response = resolve(document, given);
        expect(status).toMatch(/^[2-5]\d\d$/);
        expect(response.description).toMatch(/\w/);
        expect(response.headers).toHaveProperty("X-RateLimit-Limit");
        expect(response.headers).toHaveProperty("X-RateLimit-Remaining");
        const isLimited = status === "429";
        if (isLimited) expect(response.headers).toHaveProperty("Retry-After");
        const contents = Object.values<Json>(response.content ?? {});
        expect(contents.length > 0, `${method} ${path} ${status}`).toBe(status !== "204");
        for (const { schema } of contents) expect(schema).toBeTypeOf("object");
      }
    }
  });
});

describe("the operations of v1.ts", () => {
  test("no others, in the same order", () => {
    const listed = operationsOf(document).map(({ method, path }) => `${method} ${path}`);
    const rows = V1.map(
      ([method, path]) =>
        `${String(method).toLowerCase()} /v1${path.replaceAll(/:(\w+)/g, "{$1}")}`,
    );
    expect(listed.toSorted()).toEqual(rows.toSorted());
  });

  test.each(V1.map(([method, path, scope, name]) => ({ method, path, scope, name })))(
    "$name",
    ({ method, path, scope, name }) => {
      const operation = operationOf(String(method), path);
      expect(operation.operationId).toBe(name);
      expect(operation.summary).toMatch(/\w/);
      expect(operation.description).toContain(`\`${scope}\``);
      const isWithout = ["test-webhook", "replay-delivery"].includes(name);
      const hasBody = !isWithout && (method === "POST" || method === "PATCH");
      expect(operation.requestBody?.required ?? false).toBe(hasBody);
      const statuses = Object.keys(operation.responses);
      expect(statuses).toEqual(expect.arrayContaining(["401", "403", "422", "429", "500"]));
      expect(statuses.includes("404")).toBe(path.includes(":"));
    },
  );
});

describe("open details are marked", () => {
  const body = (path: string, method: string) =>
    operationOf(method, path).requestBody.content["application/json"].schema.properties;

  test.each([
    ["GET", "/events"],
    ["GET", "/events/:id"],
    ["POST", "/events/batch"],
    ["GET", "/verify"],
  ])("the operation %s %s", (method, path) => {
    expect(operationOf(method, path)[MARK]).toBe(true);
  });

  test("every parameter that stands in no path", () => {
    const open = operationsOf(document).flatMap(({ operation }) =>
      (operation.parameters ?? []).filter((each: Json) => each.in !== "path"),
    );
    expect(open.length).toBeGreaterThan(15);
    const unmarked = open.filter((each: Json) => !(each.schema[MARK] ?? each[MARK]));
    expect(unmarked.map(({ name }: Json) => name)).toEqual([]);
  });

  test("members: names of keys, scopes, a batch's events and their type, pages, proofs, details", () => {
    for (const path of ["/api-keys", "/keys"]) {
      expect(body(path, "POST").name[MARK]).toBe(true);
      expect(body(path, "POST").scopes[MARK]).toBe(true);
    }
    expect(body("/api-keys/:id", "PATCH").scopes[MARK]).toBe(true);
    const { events } = body("/events/batch", "POST");
    expect(events[MARK]).toBe(true);
    expect(events.items.properties.type[MARK]).toBe(true);
    const page = operationOf("GET", "/events").responses["200"].content["application/json"].schema;
    expect(page.properties.has_more[MARK]).toBe(true);
    expect(page.properties.next_cursor[MARK]).toBe(true);
    expect(page.properties.proofs.items[MARK]).toBe(true);
    const { error } = document.components.schemas.Error.properties;
    expect(error.properties.details[MARK]).toBe(true);
  });

  test.each([
    ["POST", "/api-keys"],
    ["GET", "/api-keys"],
    ["PATCH", "/api-keys/:id"],
    ["DELETE", "/api-keys/:id"],
    ["POST", "/keys"],
    ["DELETE", "/keys/:key_id"],
    ["POST", "/events"],
  ])("and what the interface shows is not: %s %s", (method, path) => {
    expect(operationOf(method, path)).not.toHaveProperty(MARK);
  });
});

describe("the answers fit", () => {
  /** Fails unless the document has this status for the operation and the body fits its schema. */
  function expectFits(method: string, path: string, { status, body, text }: Answer): void {
    const given = operationOf(method, path).responses[status];
    expect(given, `${method} ${path} ${status}`).toBeDefined();
    const schema = resolve(document, given).content?.["application/json"].schema;
    if (schema === undefined) {
      expect(text).toBe("");
      return;
    }
    const whole = { ...schema, components: document.components };
    expect(ajv.validate(whole, body), `${ajv.errorsText()} in ${text}`).toBe(true);
  }

  const key = (name: string) => ({ name });
  const event = {
    action: "a.b",
    actor: { id: "u" },
    diff: { before: { a: 1 } },
    metadata: { m: [] },
  };

  test("of every successful operation", async () => {
    const created = await client.post("/v1/api-keys", key("one"));
    expectFits("POST", "/api-keys", created);
    const other = await client.post("/v1/keys", key("two"));
    expectFits("POST", "/keys", other);
    expectFits("GET", "/api-keys", await client.get("/v1/api-keys"));
    const path = `/v1/api-keys/${created.body.data.id}`;
    expectFits("PATCH", "/api-keys/:id", await client.patch(path, key("three")));
    expectFits("DELETE", "/api-keys/:id", await client.delete(path));
    expectFits("DELETE", "/keys/:key_id", await client.delete(`/v1/keys/${other.body.id}`));
    const stored = await client.post("/v1/events", event);
    expectFits("POST", "/events", stored);
    const events = [event, { type: "t" }, { action: "c" }];
    expectFits("POST", "/events/batch", await client.post("/v1/events/batch", { events }));
    expectFits("GET", "/events", await client.get("/v1/events"));
    expectFits("GET", "/events", await client.get("/v1/events?limit=2&include=proof"));
    const one = `/v1/events/${stored.body.data.id}`;
    expectFits("GET", "/events/:id", await client.get(one));
    expectFits("GET", "/events/:id", await client.get(`${one}?include=proof`));
    expectFits("GET", "/verify", await client.get("/v1/verify"));
  });

  test.each(V1.map(([method, path, scope]) => ({ method: String(method), path, scope })))(
    "of every refusal: $method $path",
    async ({ method, path, scope }) => {
      const url = `/v1${path.replaceAll(/:\w+/g, "none")}`;
      const others = scope === "verify" ? (["export"] as const) : (["verify"] as const);
      const weak = await newKey(databaseUrl, account.accountId, others);
      const withBody = method === "POST" || method === "PATCH";
      const sent = withBody ? { body: {} } : {};
      expectFits(method, path, await client.as(undefined).send(method, url, sent));
      expectFits(method, path, await client.as(weak.key).send(method, url, sent));
      expectFits(method, path, await client.send(method, `${url}?nonsense=1`, sent));
      if (path.includes(":")) {
        const good = withBody ? { body: key("x") } : {};
        expectFits(method, path, await client.send(method, url, good));
      }
    },
  );

  test("and a body that does not fit is found out", () => {
    const bad = { status: 200, headers: {}, text: "{}", body: { data: [{ id: 7 }] } };
    expect(() => expectFits("GET", "/api-keys", bad)).toThrow(/id must be string|required/);
  });
});
