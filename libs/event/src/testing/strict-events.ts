// What the strict path makes of a body that creates events, for the tests of the one pass over its bytes: the
// strict reader, the members of the interface, the canonical writer. It must share no code with the pass.

import {
  MAX_TEXT_LENGTH,
  PART_MEMBERS,
  PARTS,
  type Part,
  PLACED,
  readJson,
  type ReadLimits,
} from "../index.ts";
import { canonicalJson, quote } from "../json/canonical-json.ts";
import { JsonFault, type JsonObject, type JsonValue } from "../json/json-value.ts";

/** `array` is what the pass writes: an array of events in canonical form. */
export type Form = "event" | "batch" | "array";

export interface StrictEvents {
  /** The canonical array. */
  readonly text: string;
  readonly count: number;
  readonly places: readonly number[];
}

/** Undefined where the body is refused. */
export function strictEvents(
  body: Uint8Array,
  form: Form,
  limits: ReadLimits & { readonly maxEvents: number },
): StrictEvents | undefined {
  const items = itemsOf(body, form, limits);
  if (items === undefined || items.length < 1 || items.length > limits.maxEvents) return undefined;
  const events: JsonObject[] = [];
  for (const item of items) {
    const event = eventOf(item, form);
    if (event === undefined) return undefined;
    events.push(event);
  }
  const text = canonicalJson(events);
  if (form === "array" && !Buffer.from(text).equals(body)) return undefined;
  const places: number[] = [];
  let at = 1;
  for (const event of events) at = placesOf(event, at, places) + 1;
  return { text, count: events.length, places };
}

function itemsOf(body: Uint8Array, form: Form, limits: ReadLimits): JsonValue[] | undefined {
  let value: JsonValue;
  try {
    value = readJson(body, limits);
  } catch (error) {
    if (error instanceof JsonFault) return undefined;
    throw error;
  }
  if (form === "event") return [value];
  if (form === "array") return Array.isArray(value) ? value : undefined;
  if (!isObject(value) || Object.keys(value).join() !== "events") return undefined;
  const { events } = value;
  return Array.isArray(events) ? events : undefined;
}

const NAMES: readonly string[] = ["action", "occurred_at", ...PARTS];

function eventOf(item: JsonValue, form: Form): JsonObject | undefined {
  if (!isObject(item)) return undefined;
  const { type = null, ...event } = item;
  if (type !== null) {
    if (form !== "batch" || (event["action"] ?? type) !== type) return undefined;
    event["action"] = type;
  } else if (item["type"] === null) return undefined;
  const { action, occurred_at: time = "" } = event;
  const hasNames = Object.keys(event).every((name) => NAMES.includes(name));
  const hasParts = PARTS.every((part) => event[part] === undefined || isPart(part, event[part]));
  return hasNames && hasParts && isText(action) && typeof time === "string" ? event : undefined;
}

function isPart(part: Part, value: JsonValue): boolean {
  if (!isObject(value)) return false;
  const kinds: Readonly<Record<string, string>> | undefined = { ...PART_MEMBERS, ...FREE }[part];
  if (kinds === undefined) return true;
  return Object.keys(value).every((name) => {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    return kind === "text" ? isText(value[name]) : kind === "object" && isObject(value[name]);
  });
}

const FREE = { context: undefined, metadata: undefined };

function isText(value: JsonValue | undefined): boolean {
  if (typeof value !== "string") return false;
  const length = Array.from(value).length;
  return length >= 1 && length <= MAX_TEXT_LENGTH;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Adds the places of the event, whose canonical text begins at `start`. Returns where it ends. */
function placesOf(event: JsonObject, start: number, places: number[]): number {
  const found = new Map<string, readonly [number, number]>();
  const end = start + Buffer.byteLength(canonicalJson(event));
  const walk = (object: JsonObject, prefix: string, from: number): void => {
    let at = from + 1;
    for (const name of Object.keys(object).sort()) {
      const value = object[name] as JsonValue;
      at += Buffer.byteLength(`${quote(name)}:`);
      const valueEnd = at + Buffer.byteLength(canonicalJson(value));
      const isString = typeof value === "string";
      found.set(prefix + name, isString ? [at + 1, valueEnd - 1] : [at, valueEnd]);
      if (prefix === "" && isObject(value)) walk(value, `${name}_`, at);
      at = valueEnd + 1;
    }
  };
  walk(event, "", start);
  places.push(start, end, ...PLACED.flatMap((name) => found.get(name) ?? [0, 0]));
  return end;
}
