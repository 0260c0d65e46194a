// The methods of packages/sdk-go, one for each route. Called by main.ts. It must fail for a route of the
// OpenAPI document that has no method.

import { type Hints, nounsOf, type Shape } from "./nouns.ts";
import { type Field, goComment, goFields, goName, goParameter } from "./go-text.ts";
import { goHeader, nameOfRef } from "./go-types.ts";
import { documentOf, type Json, operationsOf } from "./operations.ts";

interface Method {
  readonly verb: string;
  readonly operation: string;
  readonly http: string;
  readonly path: string;
  /** Parameters of the path. */
  readonly ids: readonly string[];
  readonly summary: string;
  readonly shape: Shape;
  /** The type that is returned, and for lists that of a page. */
  readonly returns: string;
  /** Whether it returns several of these, without pages. */
  readonly isArray: boolean;
  readonly page: string;
  readonly parameters: readonly string[];
  readonly query: Query | undefined;
  readonly body: string | undefined;
  readonly isIdempotent: boolean;
  readonly hints: Hints;
}

interface Query {
  /** `PageQuery` is written by hand. */
  readonly name: string;
  readonly members: readonly Json[];
}

/** The file, and the schemas that methods return. */
export function goResources(): { text: string; results: ReadonlySet<string> } {
  const operations = operationsOf(documentOf());
  const nouns = nounsOf(operations.map(({ operationId }) => operationId)).map(({ noun, verbs }) => {
    const methods = verbs.map(({ hints, operation, verb }) =>
      methodOf(verb, operations.find(byId(operation)), hints),
    );
    return { name: goName(noun), methods };
  });
  const methods = nouns.flatMap((noun) => noun.methods);
  const queries = new Map(
    methods.flatMap(({ query }) => (query ? [[query.name, query] as const] : [])),
  );
  queries.delete("PageQuery");
  const text = [
    goHeader("The methods of the client.", ["context", "io", "strconv"]),
    clientOf(nouns.map(({ name }) => name)),
    ...nouns.map(({ name, methods: own }) => nounOf(name, own)),
    ...[...queries.values()].map(queryOf),
  ].join("\n");
  const results = methods.flatMap(({ page, returns }) => [page, returns]);
  const names = Object.keys(documentOf().components.schemas);
  return { text, results: new Set([...names, ...RESPONSES].filter(isIn(results))) };
}

const RESPONSES = ["EventWithProof", "WidgetEventWithProof"];
const isIn = (results: readonly string[]) => (name: string) => results.includes(goName(name));
const byId = (id: string) => (operation: Json) => operation.operationId === id;

function clientOf(names: readonly string[]): string {
  const width = Math.max(...names.map(({ length }) => length));
  return [
    "// Resources are the nouns of the interface, with a method for each of its routes.",
    "type Resources struct {",
    ...goFields(names.map((name) => ({ name, type: `${name}Calls`, tag: "" }))),
    "}",
    "",
    "func resourcesOf(t *transport) Resources {",
    "\treturn Resources{",
    ...names.map((name) => `\t\t${`${name}:`.padEnd(width + 1)} ${name}Calls{t},`),
    "\t}",
    "}",
    "",
  ].join("\n");
}

function nounOf(name: string, methods: readonly Method[]): string {
  return [
    `// ${name}Calls are the methods of Client.${name}.`,
    `type ${name}Calls struct{ transport *transport }`,
    "",
    ...methods.map((method) => `${textOf(name, method).join("\n")}\n`),
  ].join("\n");
}

function methodOf(verb: string, operation: Json, hints: Hints): Method {
  const { operationId, method, parameters = [], path, requestBody, responses, summary } = operation;
  const of = (place: string): Json[] => parameters.filter((one: Json) => one.in === place);
  const [, success] = Object.entries<Json>(responses).find(([status]) => status < "300") ?? [];
  const { shape, returns, isArray } = { ...answerOf(success?.content ?? {}), ...hints };
  const { body, parameters: ownParameters, path: ownPath } = hints.go ?? {};
  const ids = ownPath === undefined ? of("path").map(({ name }) => goParameter(name)) : [];
  const schema = requestBody?.content?.["application/json"]?.schema;
  const members = (method === "get" ? of("query") : []).filter(
    ({ name }) => name !== "include" || hints.include === undefined,
  );
  const isPaged = members.map(({ name }) => name).join() === "limit,cursor";
  const queryName = isPaged ? "PageQuery" : `${goName(operationId)}Query`;
  const query = members.length > 0 ? { name: queryName, members } : undefined;
  const page = shape === "heads" ? "EpochHeadPage" : `${returns}Page`;
  return {
    verb: goName(verb),
    operation: operationId,
    http: method.toUpperCase(),
    path: ownPath ?? JSON.stringify(path.replace(/^\/v1/, "").replaceAll(/\{\w+\}/g, "{}")),
    ids,
    summary: hints.summary ?? summary,
    shape,
    returns: shape === "heads" ? "EpochHead" : goName(returns),
    isArray,
    page: shape === "list" || shape === "heads" ? goName(page) : "",
    parameters: [
      ...(ids.length > 0 ? [`${ids.join(", ")} string`] : []),
      ...(ownParameters ?? (schema ? [`body ${goName(nameOfRef(schema))}`] : [])),
      ...(query ? [`query ${query.name}`] : []),
    ],
    query,
    body: body ?? (schema ? "body" : undefined),
    isIdempotent: of("header").some(({ name }) => name === "idempotency-key"),
    hints,
  };
}

function answerOf(content: Json): { shape: Shape; returns: string; isArray: boolean } {
  const schema = content["application/json"]?.schema;
  const isArray = schema?.properties?.data?.type === "array";
  if (schema === undefined) return { shape: "nothing", returns: "", isArray };
  if (schema.$ref !== undefined) {
    const name = nameOfRef(schema);
    return name.endsWith("Page")
      ? { shape: "list", returns: name.slice(0, -"Page".length), isArray }
      : { shape: "json", returns: name, isArray };
  }
  const { data } = schema.properties;
  return { shape: "data", returns: nameOfRef(isArray ? data.items : data), isArray };
}

/** How each shape is returned: the types, and the lines around the call. */
function textOf(noun: string, method: Method): string[] {
  const { isArray, page, parameters, returns, shape, summary, verb } = method;
  const isList = shape === "list" || shape === "heads";
  const given = [...(isList ? [] : ["ctx context.Context"]), ...parameters];
  const head = `func (c ${noun}Calls) ${verb}(${[...given, "options ...CallOption"].join(", ")})`;
  const result = `${isArray ? "[]" : "*"}${returns}`;
  const types: Readonly<Record<Shape, string>> = {
    data: `(${result}, error)`,
    json: `(${result}, error)`,
    text: "(string, error)",
    bytes: "([]byte, error)",
    stream: "(io.ReadCloser, error)",
    nothing: "error",
    list: `List[${returns}, ${page}]`,
    heads: `List[${returns}, ${page}]`,
  };
  const body = isList ? listLines(method) : callLines(method);
  return [...goComment(`${verb}: ${summary}.`), `${head} ${types[shape]} {`, ...body, "}"];
}

function callLines(method: Method): string[] {
  const { isArray, returns, shape } = method;
  const lines = [`\trequest := ${callOf(method, "query.query()")}`];
  const rest = "ctx, c.transport, request, options";
  if (isArray)
    return [
      ...lines,
      `\tall, err := dataOf[[]${returns}](${rest})`,
      "\tif err != nil {",
      "\t\treturn nil, err",
      "\t}",
      "\treturn *all, nil",
    ];
  const sends: Readonly<Partial<Record<Shape, string>>> = {
    data: `dataOf[${returns}](${rest})`,
    json: `bodyAs[${returns}](${rest})`,
    text: "c.transport.text(ctx, request, options)",
    bytes: "c.transport.bytes(ctx, request, options)",
    stream: "c.transport.stream(ctx, request, options)",
    nothing: "c.transport.json(ctx, request, nil, options)",
  };
  return [...lines, `\treturn ${sends[shape]}`];
}

function listLines(method: Method): string[] {
  const { page, returns, shape } = method;
  const next =
    shape === "heads"
      ? [
          "\t\t\tif !page.HasMore || len(page.Data) == 0 {",
          '\t\t\t\treturn page.Data, ""',
          "\t\t\t}",
          "\t\t\treturn page.Data, strconv.FormatInt(page.Data[len(page.Data)-1].Epoch, 10)",
        ]
      : ["\t\t\treturn page.Data, textOf(page.NextCursor)"];
  const set =
    shape === "heads"
      ? "asked.AfterEpoch, _ = strconv.ParseInt(cursor, 10, 64)"
      : "asked.Cursor = cursor";
  return [
    `\treturn List[${returns}, ${page}]{`,
    `\t\task: func(ctx context.Context, cursor string) (*${page}, error) {`,
    "\t\t\tasked := query",
    '\t\t\tif cursor != "" {',
    `\t\t\t\t${set}`,
    "\t\t\t}",
    `\t\t\trequest := ${callOf(method, "asked.query()")}`,
    `\t\t\treturn bodyAs[${page}](ctx, c.transport, request, options)`,
    "\t\t},",
    `\t\tof: func(page *${page}) ([]${returns}, string) {`,
    ...next,
    "\t\t},",
    "\t}",
  ];
}

function callOf(
  { body, hints, http, ids, isIdempotent, operation, path, query }: Method,
  asked: string,
): string {
  const parts = [
    `operation: "${operation}", method: "${http}", path: ${path}`,
    ...(ids.length > 0 ? [`ids: []string{${ids.join(", ")}}`] : []),
    ...(query ? [`query: ${asked}`] : []),
    ...(hints.include ? [`query: query{"include=${hints.include}"}`] : []),
    ...(body === undefined ? [] : [`body: ${body}`]),
    ...(hints.mediaType === undefined ? [] : [`mediaType: "${hints.mediaType}"`]),
    ...(isIdempotent ? [`keying: ${keyingOf(operation)}`] : []),
  ];
  return `call{${parts.join(", ")}}`;
}

/** Events have a key in any case. A creation has the caller's: the response to a retry lacks the secret. */
function keyingOf(operation: string): string {
  const isAlwaysKeyed = operation === "create-event" || operation === "create-event-batch";
  return isAlwaysKeyed ? "alwaysKeyed" : "keyedByCaller";
}

function queryOf({ name, members }: Query): string {
  const fields = members.map((member): Field => {
    const { description, schema } = member;
    return { name: goName(member.name), type: kindOf(schema)[0], tag: "", comment: description };
  });
  const lines = members.map((member) => `\tall.${addOf(member)}q.${goName(member.name)})`);
  return [
    `// ${name} is the query of a call. The zero value of a member leaves it out.`,
    `type ${name} struct {`,
    ...goFields(fields),
    "}",
    "",
    `func (q ${name}) query() query {`,
    "\tvar all query",
    ...lines,
    "\treturn all",
    "}",
    "",
  ].join("\n");
}

/** The beginning of the call that adds a parameter. Those of any name with a pattern bring their names. */
function addOf({ name, schema }: Json): string {
  const [, adds] = kindOf(schema);
  return schema.type === "object" ? `${adds}(` : `${adds}("${name}", `;
}

/** The type of a parameter, and the method of `query` that adds it. */
function kindOf({ anyOf, type }: Json): readonly [type: string, adds: string] {
  if (anyOf !== undefined) return ["Strings", "texts"];
  if (type === "object") return ["map[string]Strings", "named"];
  return type === "integer" ? ["int64", "number"] : ["string", "text"];
}
