// The methods of packages/sdk-python, one for each route, for Annals and for AsyncAnnals. Called by main.ts.
// It must fail for a route of the OpenAPI document that has no method.

import { documentOf, type Json, operationsOf } from "./operations.ts";
import { type Hints, nounsOf, type Shape } from "./nouns.ts";
import { pascalOf } from "./python-types.ts";

interface Argument {
  readonly name: string;
  readonly type: string;
  /** Whether it is a mapping whose members are parameters. */
  readonly isSpread?: boolean;
  /** In the query, if it has another name there. */
  readonly sentAs?: string;
}

interface Method {
  readonly verb: string;
  readonly operation: string;
  readonly http: string;
  /** An expression of Python. */
  readonly path: string;
  readonly summary: string;
  readonly shape: Shape;
  readonly returns: string;
  readonly positional: readonly Argument[];
  readonly query: readonly Argument[];
  /** The expression of the body. */
  readonly body: string | undefined;
  readonly isIdempotent: boolean;
  readonly hints: Hints;
}

/** Both files, by whether their methods are awaited. */
export function pythonResources(isAsync: boolean): string {
  const operations = operationsOf(documentOf());
  const nouns = nounsOf(operations.map(({ operationId }) => operationId));
  const classes = nouns.map(({ noun, verbs }) => {
    const methods = verbs.map(({ hints, operation, verb }) =>
      textOf(methodOf(verb, operations.find(byId(operation)), hints), isAsync),
    );
    const caller = isAsync ? "AsyncTransport" : "Transport";
    const head = `class ${pascalOf(noun)}:\n    def __init__(self, transport: ${caller}) -> None:\n        self._transport = transport`;
    return [head, ...methods].join("\n\n");
  });
  return `${headerOf(isAsync)}\n\n${classes.join("\n\n\n")}\n`;
}

/** What has no schema in the document. */
const RETURNS: Readonly<Partial<Record<Shape, string>>> = {
  text: "str",
  bytes: "bytes",
  stream: "Response",
};

const byId = (id: string) => (operation: Json) => operation.operationId === id;

function headerOf(isAsync: boolean): string {
  const client = isAsync ? "AsyncAnnals" : "Annals";
  const pages = isAsync ? "AsyncPages" : "Pages";
  const transport = isAsync ? "AsyncTransport" : "Transport";
  const module = isAsync ? "async_transport" : "transport";
  return `"""The methods of ${client}. Generated from the OpenAPI document by \`npm run generate\`. Not to be edited."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from .calls import Call, new_key, page_after_epoch, path_of, tile_index
from .http_transport import Response
from .pages import ${pages}
from .${module} import ${transport}

if TYPE_CHECKING:
    from . import models as m
`;
}

function methodOf(verb: string, operation: Json, hints: Hints): Method {
  const { operationId, method, parameters = [], path, requestBody, responses, summary } = operation;
  const of = (place: string): Json[] => parameters.filter((one: Json) => one.in === place);
  const [, success] = Object.entries<Json>(responses).find(([status]) => status < "300") ?? [];
  const answer = answerOf(success?.content ?? {});
  const { shape = answer.shape } = hints;
  const returns =
    hints.returns === undefined ? (RETURNS[shape] ?? answer.returns) : `m.${hints.returns}`;
  const { body, path: ownPath, positional } = hints.python ?? {};
  const fields: Argument[] = of("path").map(({ name }) => ({ name, type: "str" }));
  const bodySchema = requestBody?.content?.["application/json"]?.schema;
  const bodyArgument: Argument[] =
    bodySchema === undefined ? [] : [bodyArgumentOf(bodySchema, requestBody.required)];
  const isRead = method === "get";
  const isList = shape === "list" || shape === "heads";
  const query = (isRead ? of("query") : []).filter(
    ({ name }) => name !== "include" || hints.include === undefined,
  );
  return {
    verb,
    operation: operationId,
    http: method.toUpperCase(),
    path: ownPath ?? pathOf(path),
    summary: hints.summary ?? summary,
    shape,
    returns,
    positional: positional ?? [
      ...fields,
      ...bodyArgument,
      ...query.filter(({ required }) => required === true).map(queryArgument),
    ],
    query: query.map(queryArgument),
    body: body ?? (bodyArgument.length > 0 ? "body" : undefined),
    isIdempotent: of("header").some(({ name }) => name === "idempotency-key"),
    hints,
    ...(isList && { positional: positional ?? fields }),
  };
}

function bodyArgumentOf(schema: Json, isRequired: boolean): Argument {
  const type = `m.${schema.$ref.split("/").at(-1)}`;
  return { name: "body", type: isRequired ? type : `${type} | None` };
}

function queryArgument({ name, schema }: Json): Argument {
  if (schema.type === "object")
    return { name, type: "Mapping[str, str | Sequence[str]]", isSpread: true };
  const type = queryType(schema);
  const argument = name === "from" ? "from_" : name.replaceAll(".", "_");
  return { name: argument, type, ...(argument !== name && { sentAs: name }) };
}

function queryType(schema: Json): string {
  if (schema.anyOf !== undefined) return "str | Sequence[str]";
  return schema.type === "integer" ? "int" : "str";
}

/** \`/exports/{id}\` as an f-string. */
function pathOf(path: string): string {
  const text = path.replace(/^\/v1/, "").replaceAll(/\{(\w+)\}/g, "{path_of($1)}");
  return text.includes("{") ? `f"${text}"` : `"${text}"`;
}

function answerOf(content: Json): { shape: Shape; returns: string } {
  const schema = content["application/json"]?.schema;
  if (schema === undefined) return { shape: "nothing", returns: "None" };
  if (schema.$ref !== undefined) {
    const name: string = schema.$ref.split("/").at(-1);
    return name.endsWith("Page")
      ? { shape: "list", returns: `m.${name.slice(0, -4)}, m.${name}` }
      : { shape: "json", returns: `m.${name}` };
  }
  const { data } = schema.properties;
  const returns =
    data.type === "array"
      ? `builtins.list[m.${data.items.$ref.split("/").at(-1)}]`
      : `m.${data.$ref.split("/").at(-1)}`;
  return { shape: "data", returns };
}

function textOf(method: Method, isAsync: boolean): string {
  const { isIdempotent, positional, query, shape, summary, verb } = method;
  const isList = shape === "list" || shape === "heads";
  const required = new Set(positional.map(({ name }) => name));
  const optional = query.filter(({ name }) => !required.has(name));
  const given = positional.map(({ name, type }) =>
    type.endsWith("| None") ? `${name}: ${type} = None` : `${name}: ${type}`,
  );
  const options = [
    ...optional.map(({ name, type }) => `${name}: ${type} | None = None`),
    ...(isIdempotent ? ["idempotency_key: str | None = None"] : []),
    "timeout: float | None = None",
    "max_retries: int | None = None",
  ];
  const pages = isAsync ? "AsyncPages" : "Pages";
  const returns = isList ? `${pages}[${method.returns}]` : method.returns;
  const lines = ["self", ...given, "*", ...options].map((line) => `        ${line},`);
  const define = isAsync && !isList ? "async def" : "def";
  return [
    `    ${define} ${verb}(`,
    ...lines,
    `    ) -> ${returns}:`,
    `        """${summary}."""`,
    ...bodyLines(method, isAsync),
  ].join("\n");
}

function bodyLines(method: Method, isAsync: boolean): string[] {
  const { hints, query, returns, shape } = method;
  const members = [
    ...query.map(({ isSpread, name, sentAs }) =>
      isSpread ? `**(${name} or {})` : `"${sentAs ?? name}": ${name}`,
    ),
    ...(hints.include ? [`"include": "${hints.include}"`] : []),
  ];
  const lines = [...callLines(method, members)];
  const wait = isAsync ? "await " : "";
  const send = (how: string) => `${wait}self._transport.${how}(call)`;
  if (shape === "list" || shape === "heads") {
    const ask = shape === "heads" ? "page_after_epoch" : "None";
    const pages = isAsync ? "AsyncPages" : "Pages";
    return [...lines, `        return ${pages}(self._transport, call, ${ask})`];
  }
  if (shape === "nothing") return [...lines, `        ${send("json")}`];
  if (shape === "data" || shape === "json")
    return [...lines, `        return cast("${returns}", ${send(shape)})`];
  return [...lines, `        return ${send(shape === "stream" ? "response" : shape)}`];
}

/** Events have a key in any case. A creation has the caller's: the response to a retry lacks the secret. */
function keyOf(operation: string): string {
  const isAlwaysKeyed = operation === "create-event" || operation === "create-event-batch";
  return isAlwaysKeyed ? "idempotency_key or new_key()" : "idempotency_key";
}

function callLines(method: Method, members: readonly string[]): string[] {
  const { body, hints, http, isIdempotent, operation, path } = method;
  const parts = [
    `"${operation}"`,
    `"${http}"`,
    path,
    ...(members.length > 0 ? [`query={${members.join(", ")}}`] : []),
    ...(body === undefined ? [] : [`body=${body}`]),
    ...(hints.mediaType === undefined ? [] : [`media_type="${hints.mediaType}"`]),
    ...(isIdempotent ? [`idempotency_key=${keyOf(operation)}`] : []),
    "timeout=timeout",
    "max_retries=max_retries",
  ];
  return ["        call = Call(", ...parts.map((part) => `            ${part},`), "        )"];
}
