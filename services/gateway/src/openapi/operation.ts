// One operation of the document, from its row of v1.ts and its route.

import { ANY_KEY, type Permission, WIDGET } from "@annals/contract";
import type { TObject, TSchema } from "typebox";
import { exampleOf, type Schema } from "../render/example.ts";
import { hasOptionalBody, type Route } from "../route.ts";
import { failureResponses } from "./failures.ts";
import { headerReferences } from "./headers.ts";
import { openOperation } from "./open-operations.ts";
import { type Components, documented } from "./schemas.ts";

const MARK = "x-annals-open-detail";

/** Bytes, and not text. */
const BINARY = ["application/octet-stream", "application/x-protobuf", "application/x-tar"];

export interface NamedRoute {
  readonly name: string;
  readonly scope: Permission;
  readonly tag: string;
  readonly route: Route;
}

export function operationOf({ name, scope, tag, route }: NamedRoute, components: Components) {
  const { body, headers, params, query, success } = route;
  const parameters = [
    ...parametersOf("path", params, components),
    ...parametersOf("query", query, components),
    ...parametersOf("header", headers, components),
  ];
  return {
    operationId: name,
    summary: route.summary,
    description: [route.description, needOf(scope)].filter(Boolean).join(" "),
    tags: [tag],
    ...openOperation(name),
    security: [scope === WIDGET ? { widgetToken: [] } : { apiKey: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        description:
          "As it is, or compressed with the Content-Encoding `gzip` (or `x-gzip`) or `zstd`.",
        // In binary mode a CloudEvent may have no data, and in protobuf a request without records is empty.
        required: route.rawBody !== "any" && !hasOptionalBody(route),
        content: jsonContent(body, components),
      },
    }),
    responses: {
      [success.status]: successResponse(success, components),
      ...failureResponses(scope, route, components),
    },
  };
}

function needOf(scope: Permission): string {
  if (scope === WIDGET) return "Needs a widget token.";
  return scope === ANY_KEY ? "Any API key is accepted." : `Needs the scope \`${scope}\`.`;
}

export function parametersOf(
  where: "path" | "query" | "header",
  schema: TObject | undefined,
  components: Components,
): object[] {
  if (!schema) return [];
  const { patternProperties = {}, properties = {}, required = [] } = schema as TSchema as Schema;
  const named = Object.entries(properties).map(([name, given]) => {
    const { description, examples, ...rest } = given;
    return {
      name,
      in: where,
      required: required.includes(name),
      ...(description !== undefined && { description }),
      // One that may be repeated.
      ...(given.items && { style: "form", explode: true }),
      schema: documented(rest, components),
      ...(examples && { example: exampleOf(given) }),
    };
  });
  const patterns = Object.entries(patternProperties as Readonly<Record<string, Schema>>);
  return [...named, ...patterns.map(([pattern, given]) => exploded(where, pattern, given))];
}

/**
 * Parameters of any name with a pattern: the members of an object, each a parameter of its own. Generators
 * know no map of texts or arrays, so that one may be repeated is only said.
 */
function exploded(where: string, pattern: string, given: Schema): object {
  const { description, examples, maxLength, minLength, ...rest } = given;
  return {
    name: "fields",
    in: where,
    required: false,
    description,
    style: "form",
    explode: true,
    schema: {
      type: "object",
      propertyNames: { pattern },
      additionalProperties: { type: "string", minLength, maxLength },
      ...(MARK in rest && { [MARK]: true }),
    },
    example: examples?.[0],
  };
}

export function jsonContent(schema: TSchema, components: Components) {
  return {
    "application/json": { schema: documented(schema, components), example: exampleOf(schema) },
  };
}

/** Octets have no example. */
function fileContent(
  mediaTypes: Readonly<Record<string, string>>,
): Readonly<Record<string, object>> {
  const content = Object.entries(mediaTypes).map(([type, example]) => [
    type,
    BINARY.includes(type)
      ? { schema: { type: "string", format: "binary" } }
      : { schema: { type: "string" }, example },
  ]);
  return Object.fromEntries(content) as Readonly<Record<string, object>>;
}

function successResponse(success: Route["success"], components: Components): object {
  const headers = headerReferences([]);
  if (success.status === 204) return { description: "Done.", headers };
  if (!("body" in success)) {
    return { description: "The file.", headers, content: fileContent(success.mediaTypes) };
  }
  const more = Object.entries(success.headers ?? {}).map(([name, given]) => {
    const { description, ...schema } = given as Schema;
    return [name, { description, schema, example: exampleOf(given) }];
  });
  return {
    description: success.status === 201 ? "Created." : "Done.",
    headers: { ...headers, ...Object.fromEntries(more) },
    content: {
      ...jsonContent(success.body, components),
      ...fileContent(success.mediaTypes ?? {}),
    },
  };
}
