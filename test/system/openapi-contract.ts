// What of a request and its answer is not as the OpenAPI document says. Called for all traffic of the tests
// of the API (check-traffic.ts), and for deliveries. Answers are held to more than the document: they have no
// member that it does not name, and formats are checked.

import type { Answer, Received, Traffic } from "@annals/testing";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { type Json, operationsOf, resolve } from "./openapi-document.ts";

const LEAST_FAILURE = 400;
/** Decoders by the Content-Encoding of a request. */
const DECODERS: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  zstd: zstdDecompressSync,
};
/** Of paths and methods that there are not, and of requests that are refused before their path is read. */
const OUTSIDE = [401, 404, 422, 429];

export class Contract {
  readonly #document: Json;
  readonly #operations: readonly {
    method: string;
    path: RegExp;
    names: string[];
    operation: Json;
  }[];
  readonly #requests: Schemas;
  readonly #answers: Schemas;

  constructor(document: Json) {
    this.#document = document;
    this.#operations = operationsOf(document).map(({ method, path, operation }) => ({
      method: method.toUpperCase(),
      path: patternOf(path),
      names: Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name),
      operation,
    }));
    // What a client may send is said by patterns; `format` says what generators make of it.
    this.#requests = new Schemas(document.components, { areFormatsChecked: false });
    this.#answers = new Schemas(closed(document.components), { areFormatsChecked: true });
  }

  /** Sentences; none when all is as the document says. */
  faults(traffic: Traffic): string[] {
    const { pathname, searchParams } = new URL(traffic.path, "http://annals");
    if (!pathname.startsWith("/v1/")) return [];
    const found = this.#operations.find(
      ({ method, path }) => method === traffic.method && path.test(pathname),
    );
    const { answer } = traffic;
    if (!found) {
      if (!OUTSIDE.includes(answer.status)) return [`${answer.status} for no operation`];
      const { NotFound } = this.#document.components.responses;
      return traffic.method === "HEAD" ? [] : this.#answerFaults(NotFound, answer);
    }
    const { operation, path, names } = found;
    const response = operation.responses[answer.status];
    if (response === undefined) return [`the status ${answer.status} is not in the document`];
    const faults = this.#answerFaults(resolve(this.#document, response), answer);
    if (answer.status >= LEAST_FAILURE) return faults;
    const inPath = path
      .exec(pathname)
      ?.slice(1)
      .map((text, at) => [names[at], text]);
    const given = {
      path: Object.fromEntries(inPath ?? []),
      query: queryOf(searchParams),
      header: traffic.headers,
    };
    return [
      ...faults,
      ...this.#parameterFaults(operation.parameters ?? [], given),
      ...this.#bodyFaults(operation.requestBody, traffic),
    ];
  }

  /** The same for what a subscriber received. */
  deliveryFaults({ headers, json }: Pick<Received, "headers" | "json">): string[] {
    const operation = this.#document.webhooks[json.event]?.post;
    if (operation === undefined) return [`the event ${json.event} is not in the document`];
    const { schema } = operation.requestBody.content["application/json"];
    const given = { header: headers as Record<string, string>, query: {}, path: {} };
    return [
      ...this.#parameterFaults(operation.parameters, given),
      ...this.#answers.faults("the payload", closed(schema), json),
    ];
  }

  #answerFaults({ content = {}, headers }: Json, { body, text, ...answer }: Answer): string[] {
    const faults = Object.entries<Json>(headers).flatMap(([name, given]) => {
      const { required = false, schema } = resolve(this.#document, given);
      const value = answer.headers[name.toLowerCase()];
      if (value !== undefined) return this.#answers.textFaults(`the header ${name}`, schema, value);
      const isMissing = required || (name === "Retry-After" && answer.status === 429);
      return isMissing ? [`the header ${name} is missing`] : [];
    });
    const type = answer.headers["content-type"]?.split(";")[0];
    if (Object.keys(content).length === 0)
      return text === "" && type === undefined ? faults : [...faults, "there is a body"];
    const schema = content[type ?? ""]?.schema;
    if (schema === undefined) return [...faults, `the media type ${type} is not in the document`];
    const value = type === "application/json" ? body : text;
    return [...faults, ...this.#answers.faults("the answer", closed(schema), value)];
  }

  #parameterFaults(
    parameters: readonly Json[],
    given: Readonly<
      Record<"path" | "query" | "header", Readonly<Record<string, string | string[]>>>
    >,
  ): string[] {
    const known = parameters.filter((one) => one.in === "query").map(({ name }) => name as string);
    // Parameters of any name with a pattern are the members of an object.
    const open = parameters.find((one) => one.in === "query" && one.schema?.type === "object");
    const isOpen = (name: string) =>
      new RegExp(open?.schema.propertyNames.pattern ?? "^$").test(name);
    const others = Object.keys(given.query).filter((name) => !known.includes(name));
    const unknown = others.filter((name) => !isOpen(name));
    return [
      ...unknown.map((name) => `${name} is no parameter`),
      ...others.filter(isOpen).flatMap((name) => {
        const schema = open?.schema.additionalProperties;
        const values = [given.query[name] ?? ""].flat();
        return values.flatMap((one) =>
          this.#requests.textFaults(`the parameter ${name}`, schema, one),
        );
      }),
      ...parameters.flatMap((one) => {
        const name: string = one.name;
        const from = given[one.in as keyof typeof given];
        const value = from[name] ?? from[name.toLowerCase()];
        if (value === undefined) return one.required ? [`the parameter ${name} is missing`] : [];
        return this.#requests.textFaults(`the parameter ${name}`, one.schema, value);
      }),
    ];
  }

  #bodyFaults(expected: Json, { body, headers }: Pick<Traffic, "body" | "headers">): string[] {
    const inflate = DECODERS[headers["content-encoding"]?.toLowerCase() ?? ""];
    const given = inflate && body !== undefined ? inflate(Buffer.from(body)) : body;
    const isEmpty = given === undefined || given.length === 0;
    if (expected === undefined) return isEmpty ? [] : ["the operation has no body"];
    if (isEmpty) return expected.required ? ["the body is missing"] : [];
    // Other types are described by words alone.
    if (headers["content-type"]?.split(";")[0] !== "application/json") return [];
    const { schema } = expected.content["application/json"];
    const value = JSON.parse(typeof given === "string" ? given : Buffer.from(given).toString());
    return this.#requests.faults("the body", schema, value);
  }
}

/** The index of a tile is written in groups, with slashes between them. */
function patternOf(path: string): RegExp {
  const pattern = path.replace("{index}", "(.+)").replaceAll(/\{\w+\}/g, "([^/]+)");
  return new RegExp(`^${pattern}$`);
}

/** Checks values with schemas that refer to components. */
class Schemas {
  readonly #components: Json;
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(components: Json, options: { readonly areFormatsChecked: boolean }) {
    this.#components = components;
    this.#ajv = new Ajv2020({
      strict: false,
      allErrors: true,
      validateFormats: options.areFormatsChecked,
    });
    addFormats.default(this.#ajv);
  }

  faults(what: string, schema: Json, value: unknown): string[] {
    const key = JSON.stringify(schema);
    const validate =
      this.#compiled.get(key) ?? this.#ajv.compile({ ...schema, components: this.#components });
    this.#compiled.set(key, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${what}${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }

  /** Of a parameter or a header. */
  textFaults(what: string, schema: Json, text: string | string[]): string[] {
    const isNumber = schema.type === "integer" && typeof text === "string" && /^-?\d+$/.test(text);
    return this.faults(`${what} (${String(text)})`, schema, isNumber ? Number(text) : text);
  }
}

/** A parameter that is repeated has an array. */
function queryOf(parameters: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(parameters.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const all = parameters.getAll(name);
      return [name, all.length === 1 ? (all[0] ?? "") : all];
    }),
  );
}

/** The schema, with every object in it closed that names its members. */
function closed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const all = Object.fromEntries(Object.entries(schema).map(([name, one]) => [name, closed(one)]));
  const isObject = schema.type === "object" && schema.properties !== undefined;
  return isObject ? { additionalProperties: false, ...all } : all;
}
