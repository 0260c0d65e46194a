// Maps a LogRecord of OTLP to an event (docs/intake.md). Called by v1/intake/read-otlp.ts, with a record that
// either encoding has given. A record without the name of an event is rejected: Annals does not store what
// programs write while they run.

import { canonicalJson, type JsonObject, type JsonValue } from "@annals/event";
import { formatMicros } from "@annals/contract";
import type { InstrumentationScope, LogRecord, Resource } from "@annals/proto/otlp";
import { fitEvent, fitText, type LargePath, present } from "./fit-event.ts";
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
/** Bytes of the resource and the scope, which each event of a request repeats. */
const MAX_ORIGIN_BYTES = 4 * 1024;
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

/** Throws {@link Rejection}. */
export function originOf(
  resource: OtlpMessage<Resource> | undefined,
  scope: OtlpMessage<InstrumentationScope> | undefined,
  { maxDepth }: OtlpOptions,
): Origin {
  const values = new OtlpValues(maxDepth - LEVELS_AROUND);
  const attributes = values.members(resource?.message.attributes ?? []);
  const { name = "", version = "" } = scope?.message ?? {};
  const context = present({
    resource: filled({ ...attributes }),
    scope: filled({
      ...present({
        name: values.text(name) || undefined,
        version: values.text(version) || undefined,
      }),
      ...present({ attributes: filled(values.members(scope?.message.attributes ?? [])) }),
    }),
  });
  const large: LargePath[] = largest(attributes).map((each) => ["context", "resource", each]);
  const whole: LargePath[] = [
    ["context", "resource"],
    ["context", "scope"],
  ];
  const { event, isReduced } = fitEvent(
    { action: "", context },
    [...large, ...whole],
    MAX_ORIGIN_BYTES,
  );
  return {
    context: event.context ?? {},
    service: textOf(attributes["service.name"]),
    isAltered: [resource, scope, values].some((one) => one?.isAltered),
    isReduced,
  };
}

/** `length` is that of its bytes. Throws {@link Rejection}. */
export function mapLogRecord(
  { isAltered, message }: OtlpMessage<LogRecord>,
  { length, origin }: { readonly length: number; readonly origin: Origin },
  { maxBytes, maxDepth }: OtlpOptions,
): IntakeItem {
  const values = new OtlpValues(maxDepth - LEVELS_AROUND);
  const attributes = new Attributes(values.members(message.attributes));
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
  const isMarked = isAltered || values.isAltered || origin.isAltered;
  const marked = { ...mapped.metadata, ...(isMarked && { annals_altered: true }) };
  const whole: MappedEvent = { ...mapped, metadata: marked };
  const { event, isReduced } =
    length > maxBytes / MEASURED_PART
      ? fitEvent(whole, largePaths(whole), maxBytes)
      : { event: whole, isReduced: false };
  return {
    event,
    ...(uid !== undefined && { idempotencyKey: fitText(`otlp:${uid}`) }),
    isReduced: isReduced || origin.isReduced,
  };
}

/** The attributes of a record that have no other place yet. */
class Attributes {
  readonly #members: Map<string, JsonValue>;

  constructor(members: JsonObject) {
    this.#members = new Map(Object.entries(members));
  }

  /** The first of these that is a text. */
  text(names: readonly string[]): string | undefined {
    return names.map((name) => textOf(this.#members.get(name))).find((text) => text !== undefined);
  }

  /** A text for another place of the event. An attribute that is too long for it stays as well. */
  take(name: string, max?: number): string | undefined {
    const text = this.text([name]);
    if (text === undefined) return undefined;
    const fitted = fitText(text, max);
    if (fitted === text) this.#members.delete(name);
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
      "event_name, or the attribute event.name, is required: only records of events are stored",
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
function largePaths({ metadata = {} }: MappedEvent): LargePath[] {
  const { attributes = {} } = metadata as { readonly attributes?: JsonObject };
  const each = largest(attributes).map((name): LargePath => ["metadata", "attributes", name]);
  return [["metadata", "body"], ...each, ["metadata", "attributes"]];
}

/** The names of the largest members, the largest first. */
function largest(members: JsonObject): string[] {
  return Object.entries(members)
    .map(([name, value]) => ({ name, bytes: Buffer.byteLength(canonicalJson(value)) }))
    .toSorted((a, b) => b.bytes - a.bytes)
    .slice(0, MAX_LARGE)
    .map(({ name }) => name);
}

const filled = (object: JsonObject): JsonObject | undefined =>
  Object.keys(object).length > 0 ? object : undefined;

/** The text of a value that is neither a list nor empty. */
function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}
