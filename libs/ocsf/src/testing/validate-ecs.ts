// Validates an event against the extract of the Elastic Common Schema in test/vectors/schemas: the fields and
// their types, and the categories and types of events that ECS allows together. Called by the tests of this
// package. Members of `annals` are ours, and any.

import { readFileSync } from "node:fs";
import { isIP } from "node:net";

interface Field {
  readonly type: string;
  readonly is_array?: boolean;
  /** The allowed values; of a category with the types that may go with it. */
  readonly values?: readonly (readonly [string, (readonly string[] | null)?])[];
}

interface Schema {
  readonly version: string;
  readonly fields: Readonly<Record<string, Field>>;
}

type Given = Readonly<Record<string, unknown>>;

const FILE = new URL("../../../../test/vectors/schemas/ecs.json", import.meta.url);

const ECS_SCHEMA = JSON.parse(readFileSync(FILE, "utf8")) as Schema;

/** Every fault of an event, with its place. Empty for one that is valid. */
export function ecsFaults(event: Given): string[] {
  const { annals: _, ...fields } = event;
  const flat = leaves(fields, "");
  const faults = flat.flatMap(([name, value]) => {
    const field = Object.hasOwn(ECS_SCHEMA.fields, name) ? ECS_SCHEMA.fields[name] : undefined;
    return field === undefined ? [`${name}: unknown field`] : fieldFaults(name, value, field);
  });
  const values = new Map(flat);
  for (const name of ["@timestamp", "ecs.version"])
    if (!values.has(name)) faults.push(`${name}: required`);
  if (values.get("ecs.version") !== ECS_SCHEMA.version) faults.push("ecs.version: another one");
  const types = values.get("event.type") as readonly string[];
  for (const category of (values.get("event.category") ?? []) as readonly string[]) {
    const [, expected] =
      ECS_SCHEMA.fields["event.category"]?.values?.find(([each]) => each === category) ?? [];
    if (!types.every((type) => expected?.includes(type)))
      faults.push(`event.type: not of ${category}`);
  }
  return faults;
}

function fieldFaults(name: string, value: unknown, field: Field): string[] {
  if (field.is_array !== Array.isArray(value) && field.is_array === true)
    return [`${name}: not an array`];
  const values = Array.isArray(value) ? value : [value];
  return values.flatMap((each) => {
    const isAllowed = field.values?.some(([allowed]) => allowed === each) ?? true;
    if (!isAllowed) return [`${name}: not an allowed value`];
    return isOfType(each, field.type) ? [] : [`${name}: not of type ${field.type}`];
  });
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "date":
      return typeof value === "string" && !Number.isNaN(Date.parse(value));
    case "ip":
      return typeof value === "string" && isIP(value) !== 0;
    case "long":
      return Number.isSafeInteger(value);
    case "keyword":
    case "match_only_text":
      return typeof value === "string";
    default:
      return false;
  }
}

function leaves(value: Given, path: string): [string, unknown][] {
  return Object.entries(value).flatMap(([name, member]) => {
    const isObject = typeof member === "object" && member !== null && !Array.isArray(member);
    return isObject ? leaves(member as Given, `${path}${name}.`) : [[`${path}${name}`, member]];
  });
}
