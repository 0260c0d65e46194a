// The types of packages/sdk-python: the named schemas of the OpenAPI document as TypedDicts. Called by
// main.ts. A value that the document enumerates may be any string, so that a newer service breaks no client.

import { documentOf, type Json, operationsOf } from "./operations.ts";

const HEADER = `"""The types of the interface. Generated from the OpenAPI document by \`npm run generate\`. Not to be edited."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union
`;

const INDENT = "    ";

/** Responses that have no name in the document. */
const RESPONSES = { EventWithProof: "get-event", WidgetEventWithProof: "get-widget-event" };

/** Names that \`class\` cannot have as members. */
const KEYWORDS = new Set(["from", "import", "class", "in", "is", "not", "or", "and", "global"]);

/** The whole file. */
export function pythonTypes(): string {
  const document = documentOf();
  const operations = operationsOf(document);
  const schemas: Record<string, Json> = { ...document.components.schemas };
  for (const [name, id] of Object.entries(RESPONSES)) {
    const { responses } = operations.find(({ operationId }) => operationId === id);
    const { properties } = responses["200"].content["application/json"].schema;
    schemas[name] = { type: "object", properties, required: Object.keys(properties) };
  }
  const classes: string[] = [];
  const aliases: string[] = [];
  for (const name of Object.keys(schemas).toSorted()) {
    const schema = schemas[name];
    if (schema.properties === undefined) aliases.push(alias(name, schema, classes));
    else addClass(name, schema, classes);
  }
  return `${HEADER}\n\n${[...classes, aliases.join("\n")].join("\n\n\n")}\n`;
}

/** What the interpreter evaluates: references of an alias are strings. */
function alias(name: string, schema: Json, classes: string[]): string {
  if (schema.anyOf === undefined) return `${name} = ${typeOf(name, schema, classes)}`;
  const options = schema.anyOf.map((each: Json, at: number) => {
    const type = typeOf(`${name}${at + 1}`, each, classes);
    return each.$ref === undefined ? type : `"${type}"`;
  });
  return `${name} = Union[\n${options.map((each: string) => `${INDENT}${each},\n`).join("")}]`;
}

/** Python 3.10 has no NotRequired, so that what is required is in a class of its own. */
function addClass(name: string, schema: Json, classes: string[]): void {
  const required = new Set<string>(schema.required);
  const members = Object.entries<Json>(schema.properties).map(
    ([member, value]) =>
      [member, typeOf(name + pascalOf(member), value, classes), required.has(member)] as const,
  );
  const doc = schema.description?.split("\n")[0].replaceAll("\\", "\\\\");
  const mandatory = members.filter(([, , isRequired]) => isRequired);
  const optional = members.filter(([, , isRequired]) => !isRequired);
  if (members.some(([member]) => KEYWORDS.has(member))) {
    const base = `_${name}Required`;
    const isSplit = mandatory.length > 0 && optional.length > 0;
    if (isSplit) classes.push(classOf(base, "TypedDict", mandatory));
    const shown = isSplit ? optional : members;
    classes.push(functional(isSplit ? `_${name}Optional` : name, shown, optional.length > 0));
    if (isSplit) classes.push(classOf(name, `${base}, _${name}Optional`, [], doc));
    return;
  }
  if (mandatory.length === 0) classes.push(classOf(name, "TypedDict, total=False", optional, doc));
  else if (optional.length === 0) classes.push(classOf(name, "TypedDict", mandatory, doc));
  else {
    classes.push(classOf(`_${name}Required`, "TypedDict", mandatory));
    classes.push(classOf(name, `_${name}Required, total=False`, optional, doc));
  }
}

type Members = readonly (readonly [name: string, type: string, isRequired: boolean])[];

function classOf(name: string, bases: string, members: Members, doc?: string): string {
  const lines = members.map(([member, type]) => `${INDENT}${member}: ${type}`);
  const note =
    doc === undefined ? [] : [`${INDENT}"""${doc}"""`, ...(lines.length > 0 ? [""] : [])];
  const body = [...note, ...lines];
  return [`class ${name}(${bases}):`, ...(body.length > 0 ? body : [`${INDENT}pass`])].join("\n");
}

function functional(name: string, members: Members, isPartial: boolean): string {
  const lines = members.map(([member, type]) => `${INDENT.repeat(2)}"${member}": ${quoted(type)},`);
  const total = isPartial ? `${INDENT}total=False,\n` : "";
  return `${name} = TypedDict(\n${INDENT}"${name}",\n${INDENT}{\n${lines.join("\n")}\n${INDENT}},\n${total})`;
}

const quoted = (type: string): string => `"${type.replaceAll('"', "'")}"`;

function typeOf(name: string, schema: Json, classes: string[]): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1);
  if (schema.anyOf !== undefined) {
    const all = schema.anyOf.map((each: Json) => typeOf(name, each, classes));
    return [...new Set(all)].join(" | ");
  }
  if (schema.enum !== undefined || schema.const !== undefined) return literal(schema);
  if (schema.properties !== undefined) {
    addClass(name, schema, classes);
    return name;
  }
  if (schema.type === "array") return `list[${typeOf(`${name}Item`, schema.items, classes)}]`;
  if (schema.type === "object") {
    const { additionalProperties } = schema;
    const isOpen = typeof additionalProperties !== "object";
    return `dict[str, ${isOpen ? "Any" : typeOf(`${name}Value`, additionalProperties, classes)}]`;
  }
  const types: Readonly<Record<string, string>> = {
    string: "str",
    integer: "int",
    number: "float",
    boolean: "bool",
    null: "None",
  };
  return types[schema.type] ?? "Any";
}

function literal(schema: Json): string {
  const values: Json[] = schema.enum ?? [schema.const];
  const text = `Literal[${values.map((value) => (typeof value === "string" ? JSON.stringify(value) : pythonOf(value))).join(", ")}]`;
  return values.every((value) => typeof value === "string") ? `${text} | str` : text;
}

const pythonOf = (value: unknown): string =>
  value === true ? "True" : value === false ? "False" : String(value);

export const pascalOf = (name: string): string =>
  name.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
