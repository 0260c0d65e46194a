// Makes the messages of a sink from JSON in the form of POST /v1/sinks, which the operator's file has. Called
// by operator-sinks-file.ts. It checks names and types; sink-config.ts has the other rules.

import {
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  ScalarType,
} from "@bufbuild/protobuf";
import { invalid } from "@annals/errors";
import {
  HttpSinkSchema,
  OtlpHttpSinkSchema,
  S3CredentialsSchema,
  S3SinkSchema,
  type SinkConfig,
  SinkConfigSchema,
  SplunkHecSinkSchema,
  SyslogSinkSchema,
} from "@annals/proto/sinks";
import { type WebhookFilter, WebhookFilterSchema } from "@annals/proto/webhook-filters";

export type Members = ReadonlyMap<string, unknown>;

const TYPES: ReadonlyMap<unknown, DescMessage> = new Map<unknown, DescMessage>([
  ["http", HttpSinkSchema],
  ["splunk_hec", SplunkHecSinkSchema],
  ["otlp_http", OtlpHttpSinkSchema],
  ["syslog", SyslogSinkSchema],
  ["s3", S3SinkSchema],
]);
const BODIES = ["jsonl", "array", "elastic"];

/** The members of an object. Throws `invalid` for something else, and for a name that is not known. */
export function membersOf(field: string, given: unknown, known?: readonly string[]): Members {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw invalid({ field, message: "must be an object" });
  const members = new Map<string, unknown>(Object.entries(given));
  const unknown = [...members.keys()].find((name) => known && !known.includes(name));
  if (unknown === undefined || !known) return members;
  throw unknownMember(field === "" ? unknown : `${field}.${unknown}`, known);
}

function unknownMember(field: string, known: readonly string[]) {
  return invalid({ field, message: `is not known: the members are ${known.join(", ")}` });
}

export function givenConfig(type: unknown, members: Members): SinkConfig {
  const schema = TYPES.get(type);
  if (!schema) {
    const message = `must be one of ${[...TYPES.keys()].join(", ")}`;
    throw invalid({ field: "type", message });
  }
  const config = type === "http" ? new Map([["body", "jsonl"], ...members]) : members;
  return fromJson(SinkConfigSchema, { [String(type)]: messageOf(schema, "config", config) });
}

export function givenFilter(given: unknown): WebhookFilter | undefined {
  if (given === undefined) return undefined;
  const known = WebhookFilterSchema.fields.map(({ name }) => name);
  const lists = [...membersOf("filter", given, known)].map(([name, value]) => {
    const values = Array.isArray(value) ? value : [value];
    if (values.every((one) => typeof one === "string")) return [name, { values }] as const;
    throw invalid({ field: `filter.${name}`, message: "must be a string or an array of strings" });
  });
  return fromJson(WebhookFilterSchema, Object.fromEntries(lists));
}

function messageOf({ fields }: DescMessage, place: string, members: Members): JsonObject {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const message: JsonObject = {};
  for (const [name, value] of members) {
    const field = byName.get(name);
    if (!field) throw unknownMember(`${place}.${name}`, [...byName.keys()]);
    message[name] = memberOf(field, `${place}.${name}`, value);
  }
  return message;
}

function memberOf(field: DescField, place: string, value: unknown): JsonObject[string] {
  if (field.name === "headers") return headersOf(place, value);
  if (field.name === "credentials")
    return messageOf(S3CredentialsSchema, place, membersOf(place, value));
  if (field.name === "body") {
    if (typeof value === "string" && BODIES.includes(value))
      return `HTTP_BODY_${value.toUpperCase()}`;
    throw invalid({ field: place, message: `must be one of ${BODIES.join(", ")}` });
  }
  if (field.scalar === ScalarType.BOOL) {
    if (typeof value === "boolean") return value;
    throw invalid({ field: place, message: "must be true or false" });
  }
  if (field.scalar === ScalarType.UINT32) {
    if (typeof value === "number" && value >>> 0 === value) return value;
    throw invalid({ field: place, message: "must be an integer from 0 on" });
  }
  if (typeof value === "string") return value;
  throw invalid({ field: place, message: "must be a string" });
}

function headersOf(place: string, given: unknown): JsonObject[] {
  return [...membersOf(place, given)].map(([name, value]) => {
    if (typeof value === "string") return { name, value };
    throw invalid({ field: place, message: "must have strings as values" });
  });
}
