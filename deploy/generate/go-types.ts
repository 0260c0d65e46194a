// The types of packages/sdk-go: the named schemas of the OpenAPI document as structs. Called by main.ts. A
// value that the document enumerates is a text, so that a newer service breaks no client.

import { type Field, goComment, goFields, goName } from "./go-text.ts";
import { documentOf, type Json, operationsOf } from "./operations.ts";

export const goHeader = (what: string, imports: readonly string[]): string =>
  `// Code generated from the OpenAPI document by npm run generate. DO NOT EDIT.

// ${what}

package annals

import (
${imports.map((each) => `\t"${each}"\n`).join("")})
`;

/** Responses that have no name in the document. */
const RESPONSES = { EventWithProof: "get-event", WidgetEventWithProof: "get-widget-event" };

/** What nothing of the client takes or returns. */
const LEFT_OUT =
  /^(Error|FieldFault|OtlpStatus|NewEventBatch|NewBatchEvent|NewBatchEventWith\w+|\w+Query)$/;

export const nameOfRef = ({ $ref }: Json): string => $ref.split("/").at(-1);

/** The whole file. `results` are the schemas that calls return: they keep what this version does not know. */
export function goTypes(results: ReadonlySet<string>): string {
  const document = documentOf();
  const schemas: Record<string, Json> = { ...document.components.schemas };
  const operations = operationsOf(document);
  for (const [name, id] of Object.entries(RESPONSES)) {
    const { responses } = operations.find(({ operationId }) => operationId === id);
    const { properties } = responses["200"].content["application/json"].schema;
    schemas[name] = { type: "object", properties, required: Object.keys(properties) };
  }
  const types = new GoTypes(schemas, results);
  const names = Object.keys(schemas).filter((name) => !LEFT_OUT.test(name));
  const texts = names.toSorted().map((name) => types.named(name));
  return `${goHeader("The types of the interface.", ["encoding/json"])}
${texts.filter(Boolean).join("\n\n")}
`;
}

class GoTypes {
  readonly #schemas: Readonly<Record<string, Json>>;
  readonly #results: ReadonlySet<string>;

  constructor(schemas: Readonly<Record<string, Json>>, results: ReadonlySet<string>) {
    this.#schemas = schemas;
    this.#results = results;
  }

  /** The declarations of a named schema; empty if its places have its type instead. */
  named(name: string): string {
    const schema = this.#schemas[name];
    if (schema.properties !== undefined) return this.#struct(goName(name), schema, name);
    if (schema.enum !== undefined) return enumeration(goName(name), schema);
    if (isUnion(schema)) return union(goName(name), schema);
    return name === CLOUD_EVENT ? cloudEvent(schema) : "";
  }

  #struct(name: string, schema: Json, named?: string): string {
    const required = new Set<string>(schema.required);
    const inner: string[] = [];
    const fields = Object.entries<Json>(schema.properties).map(([member, value]): Field => {
      const type = this.#typeOf(name + goName(member), value, inner);
      return { ...this.#field(member, type, value, required.has(member)), comment: noteOf(value) };
    });
    const isResult = named !== undefined && this.#results.has(named);
    const raw: Field = {
      name: "Raw",
      type: "json.RawMessage",
      tag: '`json:"-"`',
      comment:
        "Raw is all of it as the service sent it, with members that this version does not know.",
    };
    const own = [
      ...goComment(noted(name, schema)),
      `type ${name} struct {`,
      ...goFields(isResult ? [...fields, raw] : fields),
      "}",
    ];
    return [own.join("\n"), ...(isResult ? [keepsRaw(name)] : []), ...inner].join("\n\n");
  }

  #field(member: string, type: string, schema: Json, isRequired: boolean): Omit<Field, "comment"> {
    const isNullable = this.#isNullable(schema);
    const isOpen = /^(\[|map\[|any$|Strings$)/.test(type) || this.#isInterface(type);
    const name = goName(member);
    const tag = (option: string) => `\`json:"${member}${option}"\``;
    if (isRequired) return { name, type: isNullable && !isOpen ? `*${type}` : type, tag: tag("") };
    if (isNullable) return { name, type: `Nullable[${type}]`, tag: tag(",omitzero") };
    if (isOpen) return { name, type, tag: tag(",omitzero") };
    const isText = type === "string" || this.#isText(type);
    return { name, type: isText ? type : `*${type}`, tag: tag(",omitempty") };
  }

  #isInterface(type: string): boolean {
    return this.#some(type, isUnion);
  }

  #isText(type: string): boolean {
    return this.#some(type, (schema) => schema.enum !== undefined);
  }

  #some(type: string, is: (schema: Json) => boolean): boolean {
    const found = Object.entries(this.#schemas).find(([name]) => goName(name) === type);
    return found !== undefined && is(found[1]);
  }

  #isNullable(schema: Json): boolean {
    if (schema.$ref !== undefined) return this.#isNullable(this.#schemas[nameOfRef(schema)]);
    if (schema.anyOf !== undefined) return schema.anyOf.some((one: Json) => this.#isNullable(one));
    return schema.type === "null";
  }

  /** The type of a place; adds the structs without a name to `inner`. */
  #typeOf(name: string, schema: Json, inner: string[]): string {
    if (schema.$ref !== undefined) {
      const ref = nameOfRef(schema);
      const target = this.#schemas[ref];
      return isNamed(ref, target) ? goName(ref) : this.#typeOf(goName(ref), target, inner);
    }
    if (schema.anyOf !== undefined) {
      const kinds = schema.anyOf.filter(({ type }: Json) => type !== "null");
      const isOneOrMore = kinds.length === 2 && kinds[0].type === "string" && isTexts(kinds[1]);
      if (isOneOrMore) return "Strings";
      return kinds.length === 1 ? this.#typeOf(name, kinds[0], inner) : "any";
    }
    if (schema.properties !== undefined) {
      inner.push(this.#struct(name, schema));
      return name;
    }
    if (schema.type === "array") return `[]${this.#typeOf(`${name}Item`, schema.items, inner)}`;
    if (schema.type === "object") {
      const { additionalProperties } = schema;
      if (typeof additionalProperties !== "object") return "map[string]any";
      return `map[string]${this.#typeOf(`${name}Value`, additionalProperties, inner)}`;
    }
    return PLAIN[schema.type ?? typeof schema.const] ?? "any";
  }
}

/** Whether a schema has a type of its own in Go. The places of the others have what they are. */
function isNamed(name: string, schema: Json): boolean {
  const { enum: values, properties } = schema;
  return (
    properties !== undefined || values !== undefined || isUnion(schema) || name === CLOUD_EVENT
  );
}

const CLOUD_EVENT = "CloudEvent";

const PLAIN: Readonly<Record<string, string>> = {
  string: "string",
  integer: "int64",
  number: "float64",
  boolean: "bool",
};

const isTexts = ({ type, items }: Json): boolean => type === "array" && items.type === "string";

/** One of several structs, such as the settings of a sink. */
function isUnion({ anyOf }: Json): boolean {
  return anyOf !== undefined && anyOf.length > 1 && anyOf.every(({ $ref }: Json) => $ref);
}

function union(name: string, { anyOf }: Json): string {
  const names: string[] = anyOf.map((one: Json) => goName(nameOfRef(one)));
  return [
    `// ${name} is one of ${names.join(", ")}.`,
    `type ${name} interface{ is${name}() }`,
    "",
    ...names.map((one) => `func (${one}) is${name}() {}\n`),
  ]
    .join("\n")
    .trimEnd();
}

function enumeration(name: string, schema: Json): string {
  const values: string[] = schema.enum.filter((value: string) => value !== "*");
  const names = values.map((value) => name + goName(value));
  const width = Math.max(...names.map(({ length }) => length));
  return [
    ...goComment(noted(name, schema)),
    `type ${name} string`,
    "",
    "const (",
    ...names.map((each, at) => `\t${each.padEnd(width)} ${name} = ${JSON.stringify(values[at])}`),
    ")",
  ].join("\n");
}

const cloudEvent = (schema: Json): string =>
  [...goComment(noted(CLOUD_EVENT, schema)), `type ${CLOUD_EVENT} map[string]any`].join("\n");

const keepsRaw = (name: string): string => `func (r *${name}) UnmarshalJSON(text []byte) error {
\ttype plain ${name}
\tr.Raw = append(json.RawMessage(nil), text...)
\treturn decode(text, (*plain)(r))
}`;

function noteOf({ description, enum: values, items }: Json): string | undefined {
  const listed: Json[] | undefined = values ?? items?.enum;
  const of = listed && `One of ${listed.map((value) => JSON.stringify(value)).join(", ")}.`;
  const note = [description?.split("\n")[0], of].filter(Boolean).join(" ");
  return note === "" ? undefined : note;
}

function noted(name: string, { description }: Json): string {
  const [first = ""] = description?.split("\n") ?? [];
  return first === "" ? `${name} is a type of the interface.` : `${name}: ${first}`;
}
