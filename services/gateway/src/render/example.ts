// The example of a schema, made from the `examples` of its members, so that it changes with them. Used by the
// OpenAPI document.

import type { TSchema } from "typebox";
import { VARIANTS } from "./schema.ts";

/** A schema as JSON Schema has it. */
export interface Schema {
  readonly [keyword: string]: unknown;
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly [VARIANTS]?: readonly Schema[];
}

/**
 * The first of its own examples, or one put together from those of its parts. A member that may be left out
 * is in it if the member, or a part of it, has an example.
 */
export function exampleOf(given: TSchema): unknown {
  const schema = given as Schema;
  const { anyOf, enum: values, examples, items, properties, required = [], type } = schema;
  if (examples) return examples[0];
  const [variant] = schema[VARIANTS] ?? [];
  if (variant) return exampleOf(variant);
  if ("const" in schema) return schema["const"];
  if (values) return values[0];
  if (properties) {
    const shown = Object.entries(properties).filter(
      ([name, member]) => required.includes(name) || hasExample(member),
    );
    return Object.fromEntries(shown.map(([name, member]) => [name, exampleOf(member)]));
  }
  if (items) return [exampleOf(items)];
  if (anyOf?.[0]) return exampleOf(anyOf[0]);
  if (type === "boolean") return true;
  return type === "string" ? "text" : 1;
}

function hasExample({ examples, properties = {} }: Schema): boolean {
  return examples !== undefined || Object.values(properties).some(hasExample);
}
