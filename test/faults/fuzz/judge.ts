// Judges an answer by the document: is its status there, do its body, its media type and its headers fit,
// and was nothing accepted that the document does not allow? Called by run.ts. It must never forgive
// what the document does not say.

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { resolve } from "../../system/openapi-document.ts";
import type { FuzzAnswer } from "../../system/connection.ts";
import type { FuzzOperation, FuzzRequest } from "./request.ts";
import type { Schema } from "./values.ts";

/** What `error.type` may be with a status (interface 4). */
const TYPES: Readonly<Record<number, readonly string[]>> = {
  401: ["authentication_error"],
  403: ["scope_error", "plan_feature_unavailable", "plan_limit_exceeded"],
  404: ["not_found"],
  422: ["validation_error"],
  429: ["rate_limit_exceeded", "plan_limit_exceeded"],
};
const LEAST_FAILURE = 400;
const LEAST_SERVER_ERROR = 500;

export class Judge {
  readonly #document: Schema;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false });
  readonly #compiled = new Map<Schema, ValidateFunction>();

  readonly #readsItems: boolean;

  /** `readsItems`: the body has items, which are accepted or not one by one and never refuse the request. */
  constructor(document: Schema, { readsItems = false } = {}) {
    this.#document = document;
    this.#readsItems = readsItems;
  }

  /** Sentences; none when all is as the document says. No answer at all is a fault. */
  faults(
    { operation }: FuzzOperation,
    request: FuzzRequest,
    answer: FuzzAnswer | undefined,
  ): readonly string[] {
    if (answer === undefined) return ["no whole answer came"];
    const { status } = answer;
    const faults: string[] = [];
    if (status >= LEAST_SERVER_ERROR) faults.push(`${status} is a server error`);
    const documented = operation.responses[status];
    if (documented === undefined) return [...faults, `${status} is not in the document`];
    const response = resolve(this.#document, documented);
    faults.push(...this.#headerFaults(response, answer), ...this.#bodyFaults(response, answer));
    if (status < LEAST_FAILURE) {
      const outside = this.#outside(operation, request);
      if (outside !== undefined) faults.push(`accepted with ${status}, though ${outside}`);
    }
    return faults;
  }

  #headerFaults(response: Schema, { status, headers }: FuzzAnswer): string[] {
    return Object.entries<Schema>(response.headers ?? {}).flatMap(([name, header]) => {
      const { required = false, schema } = resolve(this.#document, header);
      const value = headers[name.toLowerCase()];
      const isRequired = required || (name === "Retry-After" && status === 429);
      if (value === undefined) return isRequired ? [`the header ${name} is missing`] : [];
      return this.#fits(schema, value) ? [] : [`the header ${name} is ${value}`];
    });
  }

  #bodyFaults(response: Schema, { status, headers, body }: FuzzAnswer): string[] {
    const contents = Object.entries<Schema>(response.content ?? {});
    const type = headers["content-type"];
    if (contents.length === 0) {
      return body.length === 0 && type === undefined ? [] : ["a body that is not in the document"];
    }
    const media = type?.split(";")[0]?.trim();
    const content = contents.find(([name]) => name === media)?.[1];
    if (content === undefined) return [`the media type ${type} is not in the document`];
    if (media !== "application/json") return [];
    const value = jsonOf(body);
    if (value === undefined) return ["the body is no JSON in UTF-8"];
    const validate = this.#validator(content.schema);
    if (!validate(value))
      return [`the body does not fit: ${this.#ajv.errorsText(validate.errors)}`];
    const { error } = value as { readonly error?: { readonly type: string } };
    const types = TYPES[status];
    // A body without an error of the interface fits the schema of another one.
    if (error === undefined || types === undefined || types.includes(error.type)) return [];
    return [`${error.type} does not go with ${status}`];
  }

  /** Why the document does not allow the request; undefined where it does. */
  #outside(operation: Schema, request: FuzzRequest): string | undefined {
    if (!request.hasKey) return "it carries no valid key";
    const schema = operation.requestBody?.content["application/json"].schema;
    if (schema !== undefined && !this.#readsItems) {
      // No bytes are `{}` if the document says that the body may be absent.
      const isAbsent = (request.body?.length ?? 0) === 0;
      const absent = operation.requestBody?.required === true ? undefined : {};
      const value = isAbsent ? absent : jsonOf(request.body as Buffer);
      if (value === undefined) return "the body is no JSON in UTF-8";
      const validate = this.#validator(schema);
      if (!validate(value))
        return `the body does not fit: ${this.#ajv.errorsText(validate.errors)}`;
    }
    const parameters: readonly Schema[] = operation.parameters ?? [];
    return (
      this.#outsideHeaders(parameters, request.headers) ??
      this.#outsideQuery(parameters, request.query)
    );
  }

  #outsideHeaders(
    parameters: readonly Schema[],
    headers: FuzzRequest["headers"],
  ): string | undefined {
    for (const { in: where, name, schema } of parameters) {
      if (where !== "header") continue;
      const values = headers.filter(([one]) => one.toLowerCase() === name).map(([, one]) => one);
      // As a server reads them: spaces and tabs around a value are no part of it, and a second one follows a
      // comma. Not `trim`, which also takes U+FEFF and others.
      const value = values.map((one) => one.replaceAll(/^[ \t]+|[ \t]+$/g, "")).join(", ");
      if (values.length > 0 && !this.#fits(schema, value)) return `the header ${name} does not fit`;
    }
    return undefined;
  }

  #outsideQuery(parameters: readonly Schema[], query: FuzzRequest["query"]): string | undefined {
    const given = Map.groupBy(query, ([name]) => name);
    for (const [name, pairs] of given) {
      const parameter = parameters.find((one) => one.in === "query" && one.name === name);
      if (parameter === undefined) return `it has no parameter ${JSON.stringify(name)}`;
      if (pairs.length > 1 && parameter["explode"] !== true)
        return `the parameter ${name} is there twice`;
      const values = pairs.map(([, value]) => value);
      const [value] = values;
      const { schema } = parameter;
      const fits = values.length > 1 ? this.#validator(schema)(values) : this.#fits(schema, value);
      if (!fits) return `the parameter ${name} does not fit: ${JSON.stringify(values)}`;
    }
    return undefined;
  }

  /** Whether a text of a query or a header is a value of the schema. */
  #fits(schema: Schema, text = ""): boolean {
    const isNumber = schema.type === "integer" && /^-?\d+$/.test(text);
    return this.#validator(schema)(isNumber ? Number(text) : text);
  }

  #validator(schema: Schema): ValidateFunction {
    const known = this.#compiled.get(schema);
    if (known !== undefined) return known;
    // References lead to the components of the document.
    const validate = this.#ajv.compile({ ...schema, components: this.#document.components });
    this.#compiled.set(schema, validate);
    return validate;
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Undefined where it is none. */
function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(UTF8.decode(bytes));
  } catch {
    return undefined;
  }
}
