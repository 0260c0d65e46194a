// Guarantee: whatever the type of a sink, nothing that is shown of it has a secret, and what is shown has the
// form that the interface promises. A type is tested as soon as it is in the table: by the examples of its
// schema.

import type { TObject, TSchema } from "typebox";
import { Check } from "typebox/schema";
import { expect, test } from "vitest";
import { SENSITIVE } from "./schema.ts";
import { readSinkConfig, shownSinkConfig, shownSinkSchema } from "./sink-config.ts";
import { SINK_TYPE_NAMES, SINK_TYPES, type SinkConfig } from "./sink-types.ts";

const SECRET = "t0p-s3cret";

/** A value with every member, in which each secret is {@link SECRET}. */
function exampleOf(schema: TSchema): unknown {
  const { examples, properties } = schema as Partial<TObject> & { examples?: unknown[] };
  if (properties) {
    return Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name, exampleOf(member)]),
    );
  }
  const [example] = examples ?? [];
  if (!(SENSITIVE in schema)) return example;
  if (typeof example === "string") return SECRET;
  return Object.fromEntries(Object.keys(Object(example)).map((name) => [name, SECRET]));
}

test.each(SINK_TYPE_NAMES)("%s is shown without its secrets, in the form of its schema", (type) => {
  const { config } = readSinkConfig(type, exampleOf(SINK_TYPES[type].schema));
  const { type: shownType, ...shown } = Object(shownSinkConfig({ type, ...config } as SinkConfig));
  expect(shownType).toBe(type);
  expect(JSON.stringify(shown)).not.toContain(SECRET);
  expect(Check(shownSinkSchema(type), shown)).toBe(true);
  const members = Object.entries<TSchema & { type?: string }>(SINK_TYPES[type].schema.properties);
  const hidden = members.filter(([name]) => !(name in shown));
  for (const [, member] of hidden)
    expect(member).toMatchObject({ sensitive: true, type: "string" });
});

test("the secrets of the types are marked", () => {
  const without = SINK_TYPE_NAMES.filter(
    (type) => !JSON.stringify(exampleOf(SINK_TYPES[type].schema)).includes(SECRET),
  );
  expect(without).toEqual(["syslog"]);
});
