// Maps a CloudEvent 1.0 to an event (docs/intake.md): one of the JSON format, or one of which the attributes
// are headers. Called by read-cloudevents.ts. Nothing of a CloudEvent may be lost: what has no member of its
// own stays under `metadata.cloudevents`.

import { createHash } from "node:crypto";
import { type JsonObject, type JsonValue, type LooselyRead, MAX_TEXT_LENGTH } from "@annals/event";
import { parseTimestamp } from "@annals/contract";
import { fitText } from "./fit-event.ts";
import { type IntakeItem, Rejection } from "./item.ts";

/** The context attributes of a CloudEvent, and its data if it has any. */
export interface CloudEvent {
  readonly attributes: JsonObject;
  readonly data?: JsonValue;
  /** In base64. */
  readonly dataBase64?: string;
  /** Whether a number of it became text, or a character that cannot be stored U+FFFD. */
  readonly isAltered?: boolean;
}

const NAME = /^[a-z0-9]+$/;
const REQUIRED = ["id", "source", "specversion", "type"] as const;
const OUTCOMES = ["success", "failure", "unknown"];
/** Attributes that have a member of their own in the event. */
const PLACED = ["actorid", "actortype", "outcome", "subject", "targettype", "time", "type"];
const MAX_INTEGER = 2 ** 31 - 1;

/** The attributes and the data of one of the JSON format. Throws {@link Rejection}. */
export function cloudEventOf({
  isAltered,
  value,
}: Pick<LooselyRead, "isAltered" | "value">): CloudEvent {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Rejection("a CloudEvent must be an object");
  const { data, data_base64: dataBase64, ...attributes } = value;
  if (dataBase64 === undefined || dataBase64 === null)
    return { attributes, isAltered, ...(data !== undefined && { data }) };
  if (data !== undefined) throw new Rejection("data and data_base64 must not both be there");
  if (typeof dataBase64 !== "string" || !isBase64(dataBase64))
    throw new Rejection("data_base64 must be base64");
  return { attributes, dataBase64, isAltered };
}

/** Throws {@link Rejection}. */
export function mapCloudEvent({
  attributes: given,
  data,
  dataBase64,
  isAltered = false,
}: CloudEvent): IntakeItem {
  const attributes = new Map(Object.entries(given).filter(([, value]) => value !== null));
  for (const [name, value] of attributes) checkAttribute(name, value);
  for (const name of REQUIRED) required(attributes, name);
  if (attributes.get("specversion") !== "1.0") throw new Rejection("specversion must be 1.0");
  const time = textOf(attributes, "time");
  if (time !== undefined && parseTimestamp(time) === undefined)
    throw new Rejection("time must be a time of RFC 3339");
  const outcome = textOf(attributes, "outcome");
  if (outcome !== undefined && !OUTCOMES.includes(outcome))
    throw new Rejection(`outcome must be one of ${OUTCOMES.join(", ")}`);
  const rest = [...attributes].filter(([name]) => !PLACED.includes(name));
  const event = {
    action: required(attributes, "type"),
    actor: things({ id: textOf(attributes, "actorid"), type: textOf(attributes, "actortype") }),
    target: things({ id: textOf(attributes, "subject"), type: textOf(attributes, "targettype") }),
    metadata: {
      cloudevents: Object.fromEntries<JsonValue>(rest),
      ...(outcome !== undefined && { outcome }),
      ...(data !== undefined && { data }),
      ...(dataBase64 !== undefined && { data_base64: dataBase64 }),
      ...(isAltered && { annals_altered: true }),
    },
    ...(time !== undefined && { occurred_at: time }),
  };
  return { event, idempotencyKey: keyOf(attributes) };
}

function checkAttribute(name: string, value: JsonValue): void {
  if (!NAME.test(name))
    throw new Rejection("the name of an attribute must be of a to z and 0 to 9");
  const isInteger =
    typeof value === "number" && Number.isInteger(value) && Math.abs(value) <= MAX_INTEGER;
  if (typeof value !== "string" && typeof value !== "boolean" && !isInteger)
    throw new Rejection(
      `${fitText(name, 40)} must be a string, a boolean or an integer of 32 bits`,
    );
}

type Attributes = ReadonlyMap<string, JsonValue>;

function required(attributes: Attributes, name: (typeof REQUIRED)[number]): string {
  const text = textOf(attributes, name);
  if (text === undefined) throw new Rejection(`${name} is required`);
  return text;
}

/** A text; undefined if it is absent or empty. */
function textOf(attributes: Attributes, name: string): string | undefined {
  const value = attributes.get(name);
  if (value === undefined || value === "") return undefined;
  if (typeof value !== "string") throw new Rejection(`${name} must be a string`);
  return value;
}

/** An id or a type that is too long for its member is shortened there, and kept whole next to it. */
function things(members: Readonly<Record<"id" | "type", string | undefined>>): JsonObject {
  const there = Object.entries(members).filter(([, text]) => text !== undefined);
  const long = there.filter(([, text = ""]) => fitText(text) !== text);
  return {
    ...Object.fromEntries(there.map(([name, text = ""]) => [name, fitText(text)])),
    ...(long.length > 0 && { meta: Object.fromEntries(long) as JsonObject }),
  };
}

/** A source is a URI reference and has no space, so the key has one reading. */
function keyOf(attributes: Attributes): string {
  const [source, id] = [required(attributes, "source"), required(attributes, "id")];
  const key = `${source} ${id}`;
  if (key.length <= MAX_TEXT_LENGTH && !source.includes(" ")) return key;
  const hash = createHash("sha256")
    .update(JSON.stringify([source, id]))
    .digest("hex");
  return `sha256:${hash}`;
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}
