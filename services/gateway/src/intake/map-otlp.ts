// Maps a LogRecord of OTLP to an event (docs/intake.md). Called by read-otlp.ts, with a record that
// either encoding has given. A record without the name of an event is rejected: Annals does not store what
// programs write while they run.

import type { JsonObject, JsonValue } from "@annals/event";
import { formatMicros, type Work } from "@annals/contract";
import type { InstrumentationScope, LogRecord, Resource } from "@annals/proto/otlp";
import {
  fitEvent,
  fitText,
  type LargePath,
  type PathsToFit,
  present,
  sizeOf,
} from "./fit-event.ts";
import { type IntakeItem, type MappedEvent, type Outcome, Rejection } from "./item.ts";
import type { OtlpMessage } from "./otlp-encoding.ts";
import { OtlpValues } from "./otlp-values.ts";

export interface OtlpOptions {
  /** Bytes of an event in canonical form. */
  readonly maxBytes: number;
  /** Levels of an event, of which its values have four less. */
  readonly maxDepth: number;
}

/** What records share: their resource and their scope. */
export interface Origin {
  readonly context: JsonObject;
  readonly service: string | undefined;
  readonly isAltered: boolean;
  readonly isReduced: boolean;
}

/** The event, the part, and two objects around a value. */
const LEVELS_AROUND = 4;
/** Bytes of a resource and of a scope, which each event of a request repeats. */
const MAX_RESOURCE_BYTES = 3 * 1024;
const MAX_SCOPE_BYTES = 1024;
/** Characters of a text that may be longer than an id. */
const MAX_NAME = 1_000;
/** Below this part of the limit a record is not measured: JSON is longer than protobuf, but not so much. */
const MEASURED_PART = 8;
/** Attributes that are left out one by one if an event is too large, and then all. */
const MAX_LARGE = 16;
const NANOS_PER_MICRO = 1_000n;

const ACTORS = [
  { id: "annals.actor.id", type: "annals.actor.type" },
  { id: "audit.actor.id", type: "audit.actor.type" },
  { id: "user.id", fallback: "user" },
  { id: "enduser.id", fallback: "user" },
];
const TARGETS = [
  { id: "annals.target.id", type: "annals.target.type" },
  { id: "audit.target.id", type: "audit.target.type" },
];
const UIDS = ["log.record.uid", "audit.record.id"];
const OUTCOME_NAMES = ["event.outcome", "audit.outcome"];
const OUTCOMES: readonly string[] = ["success", "failure", "unknown"] satisfies Outcome[];

const NONE: Origin = { context: {}, service: undefined, isAltered: false, isReduced: false };

/** What a resource gives to each record that is of it. Its work is done once for all of them. */
export function* resourceOf(
  resource: OtlpMessage<Resource> | undefined,
  { maxDepth }: OtlpOptions,
): Work<Origin> {
  if (resource === undefined) return NONE;
  const values = new OtlpValues(maxDepth - LEVELS_AROUND);
  const { attributes: list } = resource.message;
  const members = values.members(list);
  yield* values.complete();
  const service = textOf(
    values.firsts(list, members).get("service.name") ?? members["service.name"],
  );
  const context = present({ resource: filled(members) });
  const paths = largePaths(members, ["context", "resource"]);
  const isFitted = yield* fitEvent({ action: "", context }, paths, MAX_RESOURCE_BYTES);
  return { context, service, ...marksOf([resource, values], isFitted) };
}

/** The same of a scope. */
export function* scopeOf(
  scope: OtlpMessage<InstrumentationScope> | undefined,
  { maxDepth }: OtlpOptions,
): Work<Origin> {
  if (scope === undefined) return NONE;
  const values = new OtlpValues(maxDepth - LEVELS_AROUND);
  const { attributes: list, name, version } = scope.message;
  const attributes = values.members(list);
  yield* values.complete();
  const own = present({
    name: values.text(name) || undefined,
    version: values.text(version) || undefined,
    attributes: filled(attributes),
  });
  const context = present({ scope: filled(own) });
  const isFitted = yield* fitEvent(
    { action: "", context },
    largestOfScope(attributes),
    MAX_SCOPE_BYTES,
  );
  return { context, service: undefined, ...marksOf([scope, values], isFitted) };
}

/** The origin of records of both. */
export function originOf(resource: Origin, scope: Origin): Origin {
  return {
    context: { ...resource.context, ...scope.context },
    service: resource.service,
    ...marksOf([resource, scope], false),
  };
}

interface Marks {
  readonly isAltered: boolean;
  readonly isReduced: boolean;
}

function marksOf(of: readonly Marks[], isReduced: boolean): Marks {
  return {
    isAltered: of.some((each) => each.isAltered),
    isReduced: isReduced || of.some((each) => each.isReduced),
  };
}

/** `length` is that of its bytes. Throws {@link Rejection}. */
export function* mapLogRecord(
  given: OtlpMessage<LogRecord>,
  { length, origin }: { readonly length: number; readonly origin: Origin },
  { maxBytes, maxDepth }: OtlpOptions,
): Work<IntakeItem> {
  const { message } = given;
  const values = new OtlpValues(maxDepth - LEVELS_AROUND);
  const members = values.members(message.attributes);
  const attributes = new Attributes(members, values.firsts(message.attributes, members));
  const uid = attributes.text(UIDS);
  const mapped = {
    action: actionOf(values.text(message.eventName), attributes),
    actor: actorOf(attributes, origin),
    target: targetOf(attributes),
    context: present({
      ip: attributes.take("client.address"),
      user_agent: attributes.take("user_agent.original", MAX_NAME),
      trace_id: hexadecimal(message.traceId, 16),
      span_id: hexadecimal(message.spanId, 8),
      ...origin.context,
    }),
    metadata: metadataOf(message, attributes, values),
    ...occurredAt(message),
  };
  const { isAltered, isReduced } = marksOf([given, values, origin], false);
  const marked = { ...mapped.metadata, ...(isAltered && { annals_altered: true }) };
  const event: MappedEvent = { ...mapped, metadata: marked };
  if (values.isReduced) yield* values.complete();
  let isFitted = false;
  if (length > maxBytes / MEASURED_PART) {
    yield;
    isFitted = yield* fitEvent(event, largestOf(event), maxBytes);
  }
  return {
    event,
    ...(uid !== undefined && { idempotencyKey: fitText(uid) }),
    isReduced: isReduced || isFitted,
  };
}

/** The attributes of a record that have no other place yet. */
class Attributes {
  readonly #members: Map<string, JsonValue>;
  readonly #firsts: ReadonlyMap<string, JsonValue>;

  /** `firsts` has the first value of each name that was there more than once, and has a list. */
  constructor(members: JsonObject, firsts: ReadonlyMap<string, JsonValue>) {
    this.#members = new Map(Object.entries(members));
    this.#firsts = firsts;
  }

  /** The first of these that is a text. */
  text(names: readonly string[]): string | undefined {
    return names
      .map((name) => textOf(this.#firsts.get(name) ?? this.#members.get(name)))
      .find((text) => text !== undefined);
  }

  /**
   * A text for another place of the event. An attribute that is too long for it, or a list, stays as well.
   */
  take(name: string, max?: number): string | undefined {
    const text = this.text([name]);
    if (text === undefined) return undefined;
    const fitted = fitText(text, max);
    if (fitted === text && !this.#firsts.has(name)) this.#members.delete(name);
    return fitted;
  }

  rest(): JsonObject | undefined {
    return filled(Object.fromEntries<JsonValue>(this.#members));
  }
}

function actionOf(name: string, attributes: Attributes): string {
  const action = name === "" ? attributes.take("event.name") : fitText(name);
  if (action === undefined)
    throw new Rejection(
      "eventName (event_name in protobuf), or the attribute event.name, is required: only records of events are stored",
    );
  return action;
}

function actorOf(attributes: Attributes, { service }: Origin): JsonObject {
  for (const { fallback, id: name, type = "" } of ACTORS) {
    const id = attributes.take(name);
    if (id !== undefined) return present({ id, type: attributes.take(type) ?? fallback });
  }
  return service === undefined ? {} : { id: fitText(service), type: "service" };
}

function targetOf(attributes: Attributes): JsonObject {
  for (const names of TARGETS) {
    const target = present({ id: attributes.take(names.id), type: attributes.take(names.type) });
    if (Object.keys(target).length > 0) return target;
  }
  return {};
}

function metadataOf(record: LogRecord, attributes: Attributes, values: OtlpValues): JsonObject {
  const { droppedAttributesCount: dropped, severityNumber, severityText } = record;
  const severity = present({
    number: severityNumber === 0 ? undefined : severityNumber,
    text: severityText === "" ? undefined : fitText(values.text(severityText)),
  });
  return present({
    outcome: outcomeOf(attributes),
    severity: filled(severity),
    body: values.value(record.body),
    attributes: attributes.rest(),
    dropped_attributes_count: dropped === 0 ? undefined : dropped,
  });
}

/** Leaves an attribute as it is that does not have an outcome as every source has it. */
function outcomeOf(attributes: Attributes): string | undefined {
  const name = OUTCOME_NAMES.find((each) => {
    const text = attributes.text([each]);
    return text !== undefined && OUTCOMES.includes(text);
  });
  return name === undefined ? undefined : attributes.take(name);
}

/** A time of 0 is unknown, and the event then has that of the request. */
function occurredAt({ observedTimeUnixNano, timeUnixNano }: LogRecord): { occurred_at?: string } {
  const nanos = timeUnixNano === 0n ? observedTimeUnixNano : timeUnixNano;
  if (nanos === 0n) return {};
  const micros = Number(nanos / NANOS_PER_MICRO);
  if (!Number.isSafeInteger(micros))
    throw new Rejection("time_unix_nano must be a time before the year 2255");
  return { occurred_at: formatMicros(micros) };
}

/** An id of a trace; undefined if it is not valid, which the protocol takes for absent. */
function hexadecimal(id: Uint8Array, bytes: number): string | undefined {
  if (id.length !== bytes || id.every((byte) => byte === 0)) return undefined;
  return Buffer.from(id).toString("hex");
}

/** What is replaced by its size and hash if an event is too large, in this order. */
function* largestOf({ metadata = {} }: MappedEvent): PathsToFit {
  yield ["metadata", "body"];
  const { attributes = {} } = metadata as { readonly attributes?: JsonObject };
  yield* largePaths(attributes, ["metadata", "attributes"]);
}

function* largestOfScope(attributes: JsonObject): PathsToFit {
  yield* largePaths(attributes, ["context", "scope", "attributes"]);
  yield ["context", "scope"];
}

/** The largest members, the largest first, and then the whole object, which is at `path`. */
function* largePaths(members: JsonObject, path: LargePath): PathsToFit {
  const sizes: { readonly name: string; readonly bytes: number }[] = [];
  for (const [name, value] of Object.entries(members)) {
    sizes.push({ name, bytes: yield* sizeOf(value) });
    yield;
  }
  const largest = sizes.toSorted((a, b) => b.bytes - a.bytes).slice(0, MAX_LARGE);
  for (const { name } of largest) yield [...path, name];
  yield path;
}

const filled = (object: JsonObject): JsonObject | undefined =>
  Object.keys(object).length > 0 ? object : undefined;

/** The text of a value that is neither a list nor empty. */
function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}
