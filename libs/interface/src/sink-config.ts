// Configurations of sinks, whatever their type: what is given is checked and completed, and what is stored is
// shown without its secrets. Called by the gateway and the webhook dispatcher. A fault names a member and
// never repeats a value: it may be a secret.

import { type FieldFault, invalid } from "@annals/errors";
import { Type, type TObject, type TSchema } from "typebox";
import { Errors } from "typebox/schema";
import { named, NAME, SENSITIVE } from "./schema.ts";
import type { ConfigRules } from "./sink-type.ts";
import { SINK_TYPE_NAMES, SINK_TYPES, type SinkConfig, type SinkType } from "./sink-types.ts";

export type { ConfigRules } from "./sink-type.ts";
export { MAX_HEADER_NAME_LENGTH, MAX_HEADER_VALUE_LENGTH, MAX_HEADERS } from "./sink-headers.ts";

/** Bytes of a configuration as JSON. */
export const MAX_CONFIG_BYTES = 8_192;

/** What the rules of any type take: {@link readSinkConfig} has checked which one it is. */
interface AnySinkType {
  readonly schema: TObject;
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly check: (config: object, rules: ConfigRules) => object;
  readonly receiver: (config: object) => string;
}

const typeOf = (type: SinkType) => SINK_TYPES[type] as unknown as AnySinkType;

/** A configuration whose members have the form of its type. */
export interface GivenSinkConfig {
  readonly type: SinkType;
  readonly config: Readonly<Record<string, unknown>>;
}

/** Throws `invalid` for an unknown type, and for members that the schema of the type refuses. */
export function readSinkConfig(type: unknown, config: unknown): GivenSinkConfig {
  const known = SINK_TYPE_NAMES.find((name) => name === type);
  if (known === undefined) {
    throw invalid({ field: "type", message: `must be one of ${SINK_TYPE_NAMES.join(", ")}` });
  }
  const { schema } = typeOf(known);
  const [first, ...rest] = [...schemaFaults(schema, config), ...namesWithoutText(schema, config)];
  if (first) throw invalid(first, ...rest);
  return { type: known, config: config as GivenSinkConfig["config"] };
}

/** Returns the configuration as it is stored. Throws `invalid` for what its type does not allow. */
export function checkSinkConfig(
  rules: ConfigRules,
  { config: given, type }: GivenSinkConfig,
): SinkConfig {
  const { check, defaults, schema } = typeOf(type);
  const members = Object.keys(schema.properties).flatMap((name) => {
    const value = given[name] ?? defaults[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const config = { type, ...check(Object.fromEntries(members), rules) } as SinkConfig;
  if (Buffer.byteLength(JSON.stringify(config)) <= MAX_CONFIG_BYTES) return config;
  throw invalid({
    field: "config",
    message: `must have at most ${MAX_CONFIG_BYTES} bytes as JSON`,
  });
}

/** What the audit names in place of a configuration. */
export const receiverOf = (config: SinkConfig): string => typeOf(config.type).receiver(config);

/** The configuration without its secrets: of headers it has the names. */
export function shownSinkConfig({ type, ...config }: SinkConfig): object {
  return { type, ...shown(typeOf(type).schema, config) };
}

function shown({ properties }: TObject, config: Readonly<Record<string, unknown>>): object {
  const members = Object.entries(properties).flatMap(([name, schema]): [string, unknown][] => {
    const value = config[name];
    if (value === undefined) return [];
    if (isSensitive(schema)) {
      return typeof value === "object" && value !== null ? [[name, namesOf(value)]] : [];
    }
    return [[name, isObject(schema) ? shown(schema, { ...(value as object) }) : value]];
  });
  return Object.fromEntries(members);
}

const namesOf = (value: object) =>
  Object.fromEntries(Object.keys(value).map((name) => [name, null]));

/** The schema of {@link shownSinkConfig}, without the type. */
export function shownSinkSchema(type: SinkType): TSchema {
  const { defaults, schema } = typeOf(type);
  return named(`${String(Reflect.get(schema, NAME))}Shown`, shownObject(schema, defaults));
}

const Names = Type.Unsafe<Readonly<Record<string, null>>>({
  type: "object",
  additionalProperties: true,
  description: "The names of the headers; their values are not shown.",
  examples: [{ authorization: null }],
});

function shownObject(
  { properties, ...rest }: TObject,
  defaults: Readonly<Record<string, unknown>> = {},
): TObject {
  const required: readonly string[] = rest.required ?? [];
  const members = Object.entries(properties).flatMap(([name, schema]): [string, TSchema][] => {
    if (isSensitive(schema)) return isText(schema) ? [] : [[name, Names]];
    const member: TSchema = isObject(schema) ? shownObject(schema) : { ...schema };
    const isAlways = required.includes(name) || name in defaults;
    return [[name, isAlways ? member : Type.Optional(member)]];
  });
  return Type.Object(Object.fromEntries(members));
}

const isSensitive = (schema: TSchema): boolean => SENSITIVE in schema;
const isText = (schema: TSchema): boolean => "type" in schema && schema.type === "string";
const isObject = (schema: TSchema): schema is TObject => "properties" in schema;

/** Formats describe only: the rules refuse what they describe, and name what is wanted. */
const DESCRIBING: ReadonlySet<string> = new Set(["boolean", "format", "pattern"]);

function schemaFaults(schema: TObject, config: unknown): FieldFault[] {
  const [, errors] = Errors(schema, config);
  return errors
    .filter(({ keyword }) => !DESCRIBING.has(keyword))
    .flatMap(({ instancePath, keyword, message, params }) => {
      const place = `config${instancePath.replaceAll("/", ".")}`;
      const given = params as Readonly<Record<string, unknown>>;
      const at = (names: unknown, text: string) =>
        [names].flat().map((name) => ({ field: `${place}.${String(name)}`, message: text }));
      if (keyword === "required") return at(given["requiredProperties"], "is required");
      if (keyword === "additionalProperties") {
        return at(given["additionalProperties"], "is not a member of this object");
      }
      return [{ field: place, message: sentenceOf(given) ?? message }];
    });
}

function sentenceOf(params: Readonly<Record<string, unknown>>): string | undefined {
  const { allowedValues, type } = params;
  if (Array.isArray(allowedValues)) return `must be one of ${allowedValues.join(", ")}`;
  if (typeof type !== "string") return undefined;
  return `must be ${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}

/** Members of an object that is a secret are texts. */
function namesWithoutText({ properties }: TObject, config: unknown): FieldFault[] {
  if (typeof config !== "object" || config === null) return [];
  const members = Object.entries<unknown>({ ...config });
  return members.flatMap(([name, value]) => {
    const schema = properties[name];
    if (!schema || !isSensitive(schema) || typeof value !== "object" || value === null) return [];
    if (Object.values(value).every((one) => typeof one === "string")) return [];
    return [{ field: `config.${name}`, message: "must have texts as values" }];
  });
}
