// Validates an event against the extract of the OCSF schema in test/vectors/schemas: required and unknown
// attributes, types, values of enumerations and their captions, constraints, and the numbers that follow
// from the class. Called by the tests of this package. It must never accept what it does not know.

import { readFileSync } from "node:fs";

interface Attribute {
  readonly type: string;
  readonly requirement?: "required" | "recommended" | "optional";
  readonly is_array?: boolean;
  readonly sibling?: string;
  readonly enum?: Readonly<Record<string, string>>;
}

interface Shape {
  readonly attributes: Readonly<Record<string, Attribute>>;
  readonly constraints?: Readonly<Record<string, readonly string[]>>;
}

interface ClassShape extends Shape {
  readonly caption: string;
  readonly category: string;
  readonly category_uid: number;
  readonly uid: number;
}

interface DataType {
  readonly type?: string;
  readonly regex?: string;
  readonly max_len?: number;
  readonly range?: readonly [number, number];
}

interface Schema {
  readonly version: string;
  readonly types: Readonly<Record<string, DataType>>;
  readonly classes: Readonly<Record<string, ClassShape>>;
  readonly objects: Readonly<Record<string, Shape>>;
}

type Given = Readonly<Record<string, unknown>>;

const FILE = new URL("../../../../test/vectors/schemas/ocsf.json", import.meta.url);
const OTHER = 99;

export const OCSF_SCHEMA = JSON.parse(readFileSync(FILE, "utf8")) as Schema;

/** Every fault of an event, with its place. Empty for one that is valid. */
export function ocsfFaults(event: Given): string[] {
  const of = Object.values(OCSF_SCHEMA.classes).find(({ uid }) => uid === event["class_uid"]);
  if (of === undefined) return ["class_uid: unknown"];
  const activity = event["activity_id"] as number;
  const caption =
    activity === OTHER
      ? event["activity_name"]
      : of.attributes["activity_id"]?.enum?.[String(activity)];
  const expected = {
    class_name: of.caption,
    category_uid: of.category_uid,
    category_name: of.category,
    type_uid: of.uid * 100 + activity,
    type_name: `${of.caption}: ${String(caption)}`,
  };
  const wrong = Object.entries(expected).filter(([name, value]) => event[name] !== value);
  const metadata = event["metadata"] as Given | undefined;
  return [
    ...wrong.map(([name]) => `${name}: does not follow from the class`),
    ...(metadata?.["version"] === OCSF_SCHEMA.version ? [] : ["metadata.version: another one"]),
    ...shapeFaults(event, of, "", ["class_uid", "category_uid"]),
  ];
}

/** `computed`: attributes whose enumeration follows from the class. */
function shapeFaults(
  value: Given,
  { attributes, constraints = {} }: Shape,
  path: string,
  computed: readonly string[] = [],
): string[] {
  const faults: string[] = [];
  for (const [name, { requirement }] of Object.entries(attributes))
    if (requirement === "required" && value[name] === undefined)
      faults.push(`${path}${name}: required`);
  for (const [name, member] of Object.entries(value)) {
    const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    if (attribute === undefined) faults.push(`${path}${name}: unknown attribute`);
    else {
      const { enum: values, ...rest } = attribute;
      const shape = computed.includes(name) ? rest : { ...rest, ...(values && { enum: values }) };
      faults.push(...attributeFaults(member, shape, `${path}${name}`, value));
    }
  }
  for (const [kind, names] of Object.entries(constraints)) {
    const count = names.filter((name) => value[name] !== undefined).length;
    if (kind === "at_least_one" ? count < 1 : kind === "just_one" ? count !== 1 : true)
      faults.push(`${path}: ${kind} of ${names.join(", ")}`);
  }
  return faults;
}

function attributeFaults(value: unknown, of: Attribute, path: string, owner: Given): string[] {
  if (of.is_array === true) {
    if (!Array.isArray(value)) return [`${path}: not an array`];
    const { is_array: _, ...element } = of;
    return value.flatMap((each, at) => attributeFaults(each, element, `${path}[${at}]`, owner));
  }
  const object = OCSF_SCHEMA.objects[of.type];
  if (object !== undefined) {
    if (!isObject(value)) return [`${path}: not an object`];
    // The type without attributes holds any.
    return of.type === "object" ? [] : shapeFaults(value, object, `${path}.`);
  }
  return [...typeFaults(value, of.type, path), ...enumFaults(value, of, path, owner)];
}

function enumFaults(value: unknown, of: Attribute, path: string, owner: Given): string[] {
  if (of.enum === undefined) return [];
  const caption = Object.hasOwn(of.enum, String(value)) ? of.enum[String(value)] : undefined;
  if (caption === undefined) return [`${path}: not a value of the enumeration`];
  if (of.sibling === undefined || value === OTHER) return [];
  const sibling = owner[of.sibling];
  return sibling === undefined || sibling === caption ? [] : [`${path}: not the caption`];
}

function typeFaults(value: unknown, type: string, path: string): string[] {
  const { type: base = type, regex, max_len: max, range } = OCSF_SCHEMA.types[type] ?? {};
  switch (base) {
    case "json_t":
      return value === undefined ? [`${path}: not JSON`] : [];
    case "boolean_t":
      return typeof value === "boolean" ? [] : [`${path}: not a boolean`];
    case "float_t":
      return typeof value === "number" ? [] : [`${path}: not a number`];
    case "integer_t":
    case "long_t": {
      const [min, most] = range ?? [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
      const isRight = Number.isInteger(value) && min <= Number(value) && Number(value) <= most;
      return isRight ? [] : [`${path}: not an integer of its range`];
    }
    case "string_t": {
      if (typeof value !== "string") return [`${path}: not a text`];
      if (max !== undefined && value.length > max) return [`${path}: too long`];
      return regex === undefined || new RegExp(regex, "u").test(value)
        ? []
        : [`${path}: not ${type}`];
    }
    default:
      return [`${path}: of the unknown type ${type}`];
  }
}

function isObject(value: unknown): value is Given {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
