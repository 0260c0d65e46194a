// Turns the schemas that the routes validate with into those of the document: a named schema becomes a
// component and a reference to it. It must never change what a schema accepts.

import { isDeepStrictEqual } from "node:util";
import type { TSchema } from "typebox";
import type { Schema } from "../render/example.ts";
import { SENSITIVE } from "@annals/interface";
import { NAME, TEXT_OR_TEXTS, VARIANTS } from "../render/schema.ts";

/** What `components.schemas` has. */
export type Components = Record<string, Schema>;

/** Their values are no schemas. */
const VALUES = new Set(["const", "default", "enum", "examples"]);

/** The schema as the document has it; the named ones in it are added to `components`. */
export function documented(given: TSchema, components: Components): Schema {
  const { [NAME]: name, [SENSITIVE]: _, [VARIANTS]: variants, ...rest } = given as Schema;
  if (variants) return oneOfVariants(given, variants, components);
  const own: Schema = Object.fromEntries(
    Object.entries(rest).map(([keyword, value]) => [
      keyword,
      VALUES.has(keyword) ? value : documentedValue(keyword, value, components),
    ]),
  );
  if (typeof name !== "string") return typed(own);
  const { properties, anyOf, ...shared } = own;
  // Generators know no conditions next to members, so each condition becomes an object of its own.
  if (properties && anyOf)
    return component(
      name,
      {
        anyOf: anyOf.map(({ required = [] }) => {
          const all = [...(own.required ?? []), ...required];
          return component(
            `${name}With${pascal(required)}`,
            { ...shared, properties, required: all },
            components,
          );
        }),
      },
      components,
    );
  return component(name, typed(own), components);
}

/** What the gateway checks by more than schemas: only its description and example are shown besides. */
function oneOfVariants(
  given: TSchema,
  variants: readonly Schema[],
  components: Components,
): Schema {
  const { [NAME]: name, description, examples } = given as Schema;
  const shown = {
    ...(description !== undefined && { description }),
    ...(examples && { examples }),
    ...(variants.length === 1
      ? documented(variants[0] ?? given, components)
      : { anyOf: variants.map((one) => documented(one, components)) }),
  };
  return typeof name === "string" ? component(name, shown, components) : shown;
}

/** A reference to the schema, which is added to `components`. */
function component(name: string, schema: Schema, components: Components): Schema {
  const known = components[name];
  if (known && !isDeepStrictEqual(known, schema))
    throw new Error(`two schemas have the name ${name}`);
  components[name] = schema;
  return { $ref: `#/components/schemas/${name}` };
}

const pascal = (words: readonly string[]): string =>
  words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");

/** Generators make no text of an enum without a type, and nothing of a list of types. */
function typed(schema: Schema): Schema {
  const { enum: values, type } = schema;
  if (isDeepStrictEqual(type, TEXT_OR_TEXTS)) return textOrTexts(schema);
  const isText = type === undefined && values?.every((one) => typeof one === "string");
  return isText ? { type: "string", ...schema } : schema;
}

function textOrTexts({ type: _type, ...schema }: Schema): Schema {
  const { items, maxItems, maxLength, minItems, minLength, ...shared } = schema;
  const anyOf = [
    { type: "string", minLength, maxLength },
    { type: "array", minItems, maxItems, ...(items && { items }) },
  ];
  return { ...shared, anyOf };
}

function documentedValue(keyword: string, value: unknown, components: Components): unknown {
  if (Array.isArray(value)) return value.map((one) => documentedValue("", one, components));
  if (typeof value !== "object" || value === null) return value;
  if (keyword !== "properties") return documented(value, components);
  // A member that is never allowed is one that a closed object does not have.
  const members = Object.entries(value as Record<string, Schema>).filter(([, { not }]) => !not);
  return Object.fromEntries(members.map(([name, one]) => [name, documented(one, components)]));
}
