// Requests of OTLP for tests, in both encodings. Used by tests of intake, of the gateway and of the whole
// system. It must never encode with what it tests: JSON is written here, and protobuf by the library.

import {
  type AnyValue,
  type AnyValueSchema,
  ExportLogsServiceRequestSchema,
  type LogRecordSchema,
} from "@annals/proto/otlp";
import { create, type MessageInitShape, toBinary, toJson } from "@bufbuild/protobuf";

export type OtlpRecord = MessageInitShape<typeof LogRecordSchema>;
export type OtlpRequest = MessageInitShape<typeof ExportLogsServiceRequestSchema>;

type Value = string | number | bigint | boolean | Uint8Array | null | readonly Value[] | ValueMap;
interface ValueMap {
  readonly [name: string]: Value;
}

/** An AnyValue; an integer is a bigint, and a number is a double. */
function anyValue(value: Value): MessageInitShape<typeof AnyValueSchema> {
  const of = (name: AnyValue["value"]["case"], one: unknown) => ({
    value: { case: name, value: one } as never,
  });
  if (value === null) return {};
  if (typeof value === "string") return of("stringValue", value);
  if (typeof value === "bigint") return of("intValue", value);
  if (typeof value === "number") return of("doubleValue", value);
  if (typeof value === "boolean") return of("boolValue", value);
  if (value instanceof Uint8Array) return of("bytesValue", value);
  if (Array.isArray(value)) return of("arrayValue", { values: value.map(anyValue) });
  return of("kvlistValue", { values: keyValues(value as ValueMap) });
}

export const keyValues = (members: ValueMap) =>
  Object.entries(members).map(([key, value]) => ({ key, value: anyValue(value) }));

/** One record of a service, which updates an invoice. */
export function otlpRecord({
  attributes = {},
  ...more
}: Omit<OtlpRecord, "attributes" | "$typeName"> & {
  readonly attributes?: ValueMap;
} = {}): OtlpRecord {
  return {
    timeUnixNano: 1_769_851_800_052_919_123n,
    eventName: "invoice.update",
    attributes: keyValues({ "user.id": "u_1", "audit.target.id": "inv_9", ...attributes }),
    ...more,
  };
}

export function otlpRequest(...records: readonly OtlpRecord[]): OtlpRequest {
  const resource = { attributes: keyValues({ "service.name": "billing" }) };
  return {
    resourceLogs: [{ resource, scopeLogs: [{ scope: { name: "app" }, logRecords: [...records] }] }],
  };
}

export function inProtobuf(request: OtlpRequest): Buffer {
  const message = create(ExportLogsServiceRequestSchema, request);
  return Buffer.from(toBinary(ExportLogsServiceRequestSchema, message));
}

/** Ids of traces are hexadecimal; all else is as ProtoJSON has it. */
export function inJson(request: OtlpRequest): Buffer {
  const json = toJson(
    ExportLogsServiceRequestSchema,
    create(ExportLogsServiceRequestSchema, request),
  );
  const text = JSON.stringify(json, (name, value: unknown) =>
    name === "traceId" || name === "spanId"
      ? Buffer.from(String(value), "base64").toString("hex")
      : value,
  );
  return Buffer.from(text);
}
