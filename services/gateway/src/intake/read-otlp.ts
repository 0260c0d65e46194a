// Reads the log records of an OTLP request, in either encoding (docs/intake.md). Called by
// store-otlp-logs.ts. A record is read for itself, its resource once for all records of it, and its scope
// once for all that follow each other. It must never do more work for a request than its bytes are worth, nor
// ignore a part of which nothing was read, and not say so.

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
import type { Deps } from "../deps.ts";
import { type IntakeItem, Rejection } from "./item.ts";
import {
  mapLogRecord,
  type Origin,
  originOf,
  type OtlpOptions,
  resourceOf,
  scopeOf,
} from "./map-otlp.ts";
import type { Level, OtlpEncoding, Slices } from "./otlp-encoding.ts";
import { readAttributed } from "./otlp-parts.ts";
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
}

export interface GivenRecords {
  readonly items: PreparedItem[];
  /** Says what was ignored, if a message had no elements but members that are not known. */
  readonly ignored: string | undefined;
}

export function* readOtlp(
  bytes: Buffer,
  encoding: OtlpEncoding,
  limits: Limits,
): Work<GivenRecords> {
  const lists = new Lists(encoding, limits.intakeMaxItems);
  const parts = yield* lists.parts(bytes);
  const reader = new RecordReader(encoding, limits);
  const items = yield* prepareItems(parts, (part) => reader.map(part), limits.eventMaxBytes);
  return { items, ignored: lists.ignored };
}

class Lists {
  readonly #encoding: OtlpEncoding;
  readonly #maxItems: number;
  ignored: string | undefined;

  constructor(encoding: OtlpEncoding, maxItems: number) {
    this.#encoding = encoding;
    this.#maxItems = maxItems;
  }

  /** The records in their order. Throws `invalid` if there are too many. */
  *parts(bytes: Buffer): Work<Part[]> {
    const maxItems = this.#maxItems;
    const parts: Part[] = [];
    const { elements: resources } = yield* this.#list(bytes, RESOURCES);
    let lists = 0;
    for (const ofResource of resources) {
      const { elements: scopes, shared: resource } = yield* this.#list(ofResource, SCOPES);
      lists += scopes.length;
      if (lists > maxItems) throw tooMany("lists of a scope", maxItems);
      for (const ofScope of scopes) {
        const { elements: records, shared: scope } = yield* this.#list(ofScope, RECORDS);
        if (parts.length + records.length > maxItems) throw tooMany("log records", maxItems);
        const shared = { resource, scope };
        for (const record of records) parts.push({ record, shared });
        yield;
      }
    }
    return parts;
  }

  *#list(bytes: Buffer, level: Level): Work<Slices> {
    const slices = yield* this.#encoding.list(bytes, level, this.#maxItems);
    if (slices.elements.length > 0 || slices.unknown === undefined) return slices;
    const { elements: field } = level;
    const of = field.parent.name;
    this.ignored ??=
      `A part of the request was ignored: ${slices.unknown} is not a member of ${of}, ` +
      `which has no ${this.#encoding.nameOf(field)}.`;
    return slices;
  }
}

function tooMany(what: string, maxItems: number) {
  const message = `The request has more than ${maxItems} ${what}. Send fewer at a time.`;
  return invalid({ field: "", message });
}

class RecordReader {
  readonly #encoding: OtlpEncoding;
  readonly #limits: { readonly maxDepth: number };
  readonly #options: OtlpOptions;
  #resource:
    | { readonly bytes: Buffer | undefined; readonly origin: Origin | Rejection }
    | undefined;
  #last: { readonly shared: Shared; readonly origin: Origin | Rejection } | undefined;

  constructor(encoding: OtlpEncoding, limits: Limits) {
    const { eventMaxBytes: maxBytes, eventMaxDepth: maxDepth } = limits;
    this.#encoding = encoding;
    this.#limits = { maxDepth: LEVELS_PER_LEVEL * (maxDepth + 1) };
    this.#options = { maxBytes, maxDepth };
  }

  *map({ record, shared }: Part): Work<IntakeItem> {
    try {
      const origin = yield* this.#originOf(shared);
      if (origin instanceof Rejection) return { rejected: origin.message };
      const read = yield* readAttributed(this.#encoding, LogRecordSchema, record, this.#limits);
      return yield* mapLogRecord(read, { length: record.length, origin }, this.#options);
    } catch (error) {
      if (error instanceof Rejection) return { rejected: error.message };
      throw error;
    }
  }

  /** What is wrong with a resource is wrong with each of its records. */
  *#originOf(shared: Shared): Work<Origin | Rejection> {
    if (this.#last?.shared === shared) return this.#last.origin;
    let origin: Origin | Rejection;
    try {
      const resource = yield* this.#resourceOf(shared.resource);
      const scope =
        shared.scope &&
        (yield* readAttributed(
          this.#encoding,
          InstrumentationScopeSchema,
          shared.scope,
          this.#limits,
        ));
      origin = originOf(resource, yield* scopeOf(scope, this.#options));
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      origin = error;
    }
    this.#last = { shared, origin };
    return origin;
  }

  /** Scopes of one resource have the same slice of the request. Also what is wrong with it is found once. */
  *#resourceOf(bytes: Buffer | undefined): Work<Origin> {
    if (this.#resource?.bytes !== bytes || this.#resource === undefined)
      this.#resource = { bytes, origin: yield* this.#readResource(bytes) };
    const { origin } = this.#resource;
    if (origin instanceof Rejection) throw origin;
    return origin;
  }

  *#readResource(bytes: Buffer | undefined): Work<Origin | Rejection> {
    try {
      const read =
        bytes && (yield* readAttributed(this.#encoding, ResourceSchema, bytes, this.#limits));
      return yield* resourceOf(read, this.#options);
    } catch (error) {
      if (error instanceof Rejection) return error;
      throw error;
    }
  }
}
