// /openapi.json is a valid OpenAPI 3.1 document of exactly the operations of v1.ts, says of every open detail
// that it is one, has an example wherever a reader wants one, and says the truth of every operation.

import { V1 } from "@annals/gateway/src/v1.ts";
import { ANY_KEY, type Permission, WIDGET } from "@annals/contract";
import { newClient, newKey } from "@annals/testing";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, inject, test } from "vitest";
import {
  everyObject,
  everySchema,
  type Json,
  operationsOf,
  resolve,
  templateOf,
} from "../../system/openapi-document.ts";
import { READS_STATUS } from "../refusal.ts";

const stack = inject("stack");
const { databaseUrl } = stack;
const account = await newClient(stack);
const { client } = account;
const MARK = "x-annals-open-detail";
const MEMBERS = "openapi info servers security tags paths webhooks components".split(" ");
/** Headers of every answer, and their only value where there is one. */
const ALWAYS = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "X-RateLimit-Limit": undefined,
  "X-RateLimit-Remaining": undefined,
  "X-Request-Id": undefined,
};
const answer = await client.as(undefined).get("/openapi.json");
const document: Json = answer.body;
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
for (const name of [MARK, "example", ...MEMBERS]) ajv.addKeyword(name);
ajv.addSchema(document, "openapi.json");

const operationOf = (method: string, path: string): Json =>
  document.paths[templateOf(path)]?.[method.toLowerCase()];

test("is served to everyone", () => {
  expect(answer.status).toBe(200);
  expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
});

describe("a valid document", () => {
  test("holds what OpenAPI 3.1 requires at its top", () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: "Annals", version: expect.stringMatching(/./) });
    expect(MEMBERS).toEqual(expect.arrayContaining(Object.keys(document)));
    expect(document.info).toMatchObject({ contact: {}, license: { name: "Apache-2.0" } });
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

  test("free-form objects take any member or any texts, and an enum has a type: so generators make what compiles", () => {
    for (const [path, node] of everyObject(document)) {
      if (/\/examples?(\/|$)|\/value(\/|$)/.test(path)) continue;
      const { additionalProperties: any = {} } = node;
      const isOfTexts = (any.anyOf ?? [any]).every(
        ({ items, type }: Json) => (items?.type ?? type) === "string",
      );
      if (node.type === "object" && !node.properties && !isOfTexts)
        expect(node.additionalProperties, path).toBe(true);
      expect(node, path).not.toHaveProperty("patternProperties");
      // The mark of secrets is for the services (libs/interface).
      expect(node, path).not.toHaveProperty("sensitive");
      if (Array.isArray(node.enum)) expect(node.type, path).toBe("string");
    }
  });

  test("what has a name is a component", () => {
    const names =
      "ApiKey NewApiKey Scope Event NewEvent Actor Target Diff Proof EventPage EventFilter Verification Export " +
      "ExportPage Webhook CreatedWebhook Delivery DeliveryPage Error";
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(names.split(" ")),
    );
  });

  test("every body has an example, but for bytes", () => {
    for (const { operation } of operationsOf(document)) {
      const bodies = [operation.requestBody, ...Object.values<Json>(operation.responses)]
        .filter((body) => body !== undefined)
        .flatMap((body) => Object.values<Json>(resolve(document, body).content ?? {}));
      for (const content of bodies) {
        if (content.schema.format === "binary") continue;
        const [first] = Object.values<Json>(content.examples ?? {});
        expect(content.example ?? first?.value, operation.operationId).toBeDefined();
      }
      for (const parameter of operation.parameters ?? [])
        expect(parameter.example ?? parameter.schema.const, parameter.name).toBeDefined();
    }
  });

  test("every answer has a description, the headers of all answers, and a body but for 204", () => {
    for (const { method, path, operation } of operationsOf(document)) {
      for (const [status, given] of Object.entries<Json>(operation.responses)) {
        const response = resolve(document, given);
        expect(status).toMatch(/^[2-5]\d\d$/);
        expect(response.description).toMatch(/\w/);
        for (const [name, value] of Object.entries(ALWAYS)) {
          const header = resolve(document, response.headers[name]);
          expect(header, `${method} ${path} ${status} ${name}`).toMatchObject({ required: true });
          expect(header.schema.const, name).toBe(value);
        }
        const isLimited = status === "429";
        if (isLimited) expect(response.headers).toHaveProperty("Retry-After");
        const contents = Object.values<Json>(response.content ?? {});
        expect(contents.length > 0, `${method} ${path} ${status}`).toBe(status !== "204");
        for (const { schema } of contents) expect(schema).toBeTypeOf("object");
      }
    }
  });
});

/** What the description of an operation says that needs no scope. */
const NEEDS: Partial<Record<Permission, string>> = {
  [WIDGET]: "widget token",
  [ANY_KEY]: "Any API key",
};

/**
 * A CloudEvent whose attributes are headers may have no data, and a request of OTLP no records. Of others no
 * member is required.
 */
const MAY_BE_EMPTY = [
  "create-export",
  "create-widget-token",
  "rotate-secret",
  "update-sink",
  "update-saved-search",
  "update-webhook",
  "test-sink",
  "test-webhook",
  "replay-delivery",
  "store-cloudevents",
  "store-otlp-logs",
];

describe("the operations of v1.ts", () => {
  test("no others, in the same order", () => {
    const listed = operationsOf(document).map(({ method, path }) => `${method} ${path}`);
    const rows = V1.map(([method, path]) => `${String(method).toLowerCase()} ${templateOf(path)}`);
    expect(listed.toSorted()).toEqual(rows.toSorted());
  });

  test.each(V1.map(([method, path, scope, name]) => ({ method, path, scope, name })))(
    "$name",
    ({ method, path, scope, name }) => {
      const operation = operationOf(String(method), path);
      expect(operation.operationId).toBe(name);
      expect(operation.summary).toMatch(/\w/);
      expect(operation.description).toContain(NEEDS[scope] ?? `\`${scope}\``);
      const scheme = scope === WIDGET ? "widgetToken" : "apiKey";
      expect(operation.security).toEqual([{ [scheme]: [] }]);
      const isWithout = MAY_BE_EMPTY.includes(name);
      const hasBody = !isWithout && ["POST", "PATCH", "PUT"].includes(String(method));
      expect(operation.requestBody?.required ?? false).toBe(hasBody);
      const statuses = Object.keys(operation.responses);
      const invalid = READS_STATUS.includes(name) ? "400" : "422";
      expect(statuses).toEqual(expect.arrayContaining(["401", "403", invalid, "429", "500"]));
      expect(statuses.includes("404")).toBe(/:|\*|^\/log\b/.test(path));
    },
  );
});

describe("open details are marked", () => {
  const schemas = document.components.schemas;

  test("operations: those that the interface does not show, and no others", () => {
    const open =
      "create-event-batch list-events get-event verify-chain create-export list-exports get-export delete-export " +
      "get-export-content create-sink list-sinks get-sink update-sink delete-sink test-sink replay-sink skip-sink-record " +
      "get-sink-status test-webhook replay-delivery replay-events rotate-secret create-widget-token " +
      "list-widget-tokens delete-widget-token get-usage list-widget-events get-widget-event list-widget-filters " +
      "count-events count-values count-widget-events count-widget-values " +
      "get-log read-checkpoint read-entries read-tile prove-inclusion prove-consistency list-heads get-widget-log " +
      "create-erasure list-erasures get-erasure cancel-erasure place-hold list-holds release-hold " +
      "get-retention set-retention list-archives get-archive-events get-archive-evidence " +
      "create-role-mapping list-role-mappings delete-role-mapping list-people " +
      "create-workload list-workloads delete-workload " +
      "create-search-field list-search-fields delete-search-field list-search-paths " +
      "create-saved-search list-saved-searches update-saved-search delete-saved-search " +
      "store-cloudevents store-kubernetes-audit store-otlp-logs";
    const marked = operationsOf(document).filter(({ operation }) => operation[MARK]);
    const names = marked.map(({ operation }) => String(operation.operationId));
    expect(names.toSorted()).toEqual(open.split(" ").toSorted());
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
    for (const name of ["name", "scopes"])
      expect(schemas.NewApiKey.properties[name][MARK]).toBe(true);
    expect(schemas.NewEventBatch.properties.events[MARK]).toBe(true);
    expect(schemas.NewBatchEventWithType.properties.type[MARK]).toBe(true);
    expect(schemas.EventPage.properties.has_more[MARK]).toBe(true);
    expect(schemas.EventPage.properties.next_cursor[MARK]).toBe(true);
    expect(schemas.Proof[MARK]).toBe(true);
    expect(schemas.Error.properties.error.properties.details[MARK]).toBe(true);
  });
});

describe("every operation is answered as the document says: check-traffic.ts fails what is not", () => {
  const key = (name: string) => ({ name });
  const event = {
    action: "a.b",
    actor: { id: "u" },
    diff: { before: { a: 1 } },
    metadata: { m: [] },
  };

  test("successes", async () => {
    const stored = await client.post("/v1/events", event);
    const events = [event, { type: "t" }, { action: "c" }];
    const answers = [
      await client.post("/v1/events/batch", { events }),
      await client.get("/v1/events"),
      await client.get("/v1/events?limit=2&include=proof"),
      await client.get(`/v1/events/${stored.body.data.id}?include=proof`),
      await client.get("/v1/verify"),
      await client.get("/v1/verify?from_sequence=1&to_sequence=2"),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200, 200]);
  });

  const OF_KEYS = V1.filter(([, , scope]) => scope !== WIDGET);
  test.each(
    OF_KEYS.map(([method, path, scope, name]) => ({ method: String(method), path, scope, name })),
  )("refusals: $method $path", async ({ method, path, scope, name }) => {
    const url = `/v1${path.replaceAll(/:\w+/g, "none")}`;
    const others = scope === "verify" ? (["export"] as const) : (["verify"] as const);
    const weak = await newKey(databaseUrl, account.accountId, others);
    const withBody = ["POST", "PATCH", "PUT"].includes(method);
    const sent = withBody ? { body: {} } : {};
    const statuses = [
      (await client.as(undefined).send(method, url, sent)).status,
      (await client.as(weak.key).send(method, url, sent)).status,
      (await client.send(method, `${url}?nonsense=1`, sent)).status,
    ];
    const invalid = READS_STATUS.includes(name) ? 400 : 422;
    expect(statuses).toEqual([401, scope === ANY_KEY ? 200 : 403, invalid]);
    const good = withBody ? { body: key("x") } : {};
    if (path.includes(":")) await client.send(method, url, good);
  });
});
