// Reads the log records of an OTLP request, in either encoding (docs/intake.md). Called by
// store-otlp-logs.ts. A record is read for itself, and its resource and scope once for all records that
// follow each other with them. It must never do more work for a record than its own bytes and those of its
// resource are worth.

import {
  ExportLogsServiceRequestSchema,
  InstrumentationScopeSchema,
  LogRecordSchema,
  ResourceLogsSchema,
  ResourceSchema,
  ScopeLogsSchema,
} from "@annals/proto/otlp";
import { invalid } from "@annals/errors";
import type { Work } from "@annals/contract";
import type { Deps } from "../../deps.ts";
import { type IntakeItem, Rejection } from "../../intake/item.ts";
import { mapLogRecord, type Origin, originOf, type OtlpOptions } from "../../intake/map-otlp.ts";
import type { Level, OtlpEncoding } from "../../intake/otlp-encoding.ts";
import { type PreparedItem, prepareItems } from "./store-items.ts";

type Limits = Deps["limits"];

const RESOURCES: Level = { elements: ExportLogsServiceRequestSchema.field.resourceLogs };
const SCOPES: Level = {
  elements: ResourceLogsSchema.field.scopeLogs,
  shared: ResourceLogsSchema.field.resource,
};
const RECORDS: Level = {
  elements: ScopeLogsSchema.field.logRecords,
  shared: ScopeLogsSchema.field.scope,
};

/** The most levels of an encoding that a value takes for each of its own. */
const LEVELS_PER_LEVEL = 4;

/** The bytes of what records share. */
interface Shared {
  readonly resource: Buffer | undefined;
  readonly scope: Buffer | undefined;
}

interface Part {
  readonly record: Buffer;
  readonly shared: Shared;
  /** Bytes that are read for it, with those of what it is the first to have. */
  readonly length: number;
}

export function* readOtlp(
  bytes: Buffer,
  encoding: OtlpEncoding,
  limits: Limits,
): Work<PreparedItem[]> {
  const parts = yield* partsOf(bytes, encoding, limits.intakeMaxItems);
  const reader = new RecordReader(encoding, limits);
  return yield* prepareItems(parts, (part) => reader.map(part), limits.eventMaxBytes);
}

/** The records in their order. Throws `invalid` if there are more than `maxItems`. */
function* partsOf(
  bytes: Buffer,
  { list }: Pick<OtlpEncoding, "list">,
  maxItems: number,
): Work<Part[]> {
  const parts: Part[] = [];
  const { elements: resources } = yield* list(bytes, RESOURCES, maxItems);
  let lists = 0;
  for (const ofResource of resources) {
    const { elements: scopes, shared: resource } = yield* list(ofResource, SCOPES, maxItems);
    lists += scopes.length;
    if (lists > maxItems) throw tooMany("lists of a scope", maxItems);
    for (const ofScope of scopes) {
      const { elements: records, shared: scope } = yield* list(ofScope, RECORDS, maxItems);
      if (parts.length + records.length > maxItems) throw tooMany("log records", maxItems);
      const shared = { resource, scope };
      for (const [index, record] of records.entries()) {
        const beside = index === 0 ? (resource?.length ?? 0) + (scope?.length ?? 0) : 0;
        parts.push({ record, shared, length: record.length + beside });
      }
    }
  }
  return parts;
}

function tooMany(what: string, maxItems: number) {
  const message = `The request has more than ${maxItems} ${what}. Send fewer at a time.`;
  return invalid({ field: "", message });
}

class RecordReader {
  readonly #encoding: OtlpEncoding;
  readonly #limits: { readonly maxDepth: number; readonly maxValues: number };
  readonly #options: OtlpOptions;
  #last: { readonly shared: Shared; readonly origin: Origin | Rejection } | undefined;

  constructor(encoding: OtlpEncoding, limits: Limits) {
    const { bodyMaxValues: maxValues, eventMaxBytes: maxBytes, eventMaxDepth: maxDepth } = limits;
    this.#encoding = encoding;
    this.#limits = { maxDepth: LEVELS_PER_LEVEL * (maxDepth + 1), maxValues };
    this.#options = { maxBytes, maxDepth };
  }

  map({ record, shared }: Part): IntakeItem {
    try {
      if (this.#last?.shared !== shared) this.#last = { shared, origin: this.#originOf(shared) };
      const { origin } = this.#last;
      if (origin instanceof Rejection) return { rejected: origin.message };
      const read = this.#encoding.read(LogRecordSchema, record, this.#limits);
      return mapLogRecord(read, { length: record.length, origin }, this.#options);
    } catch (error) {
      if (error instanceof Rejection) return { rejected: error.message };
      throw error;
    }
  }

  /** What is wrong with a resource is wrong with each of its records. */
  #originOf({ resource, scope }: Shared): Origin | Rejection {
    const { read } = this.#encoding;
    const limits = this.#limits;
    try {
      return originOf(
        resource && read(ResourceSchema, resource, limits),
        scope && read(InstrumentationScopeSchema, scope, limits),
        this.#options,
      );
    } catch (error) {
      if (error instanceof Rejection) return error;
      throw error;
    }
  }
}
