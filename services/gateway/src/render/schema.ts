// What the schemas are built from that the routes validate with and the OpenAPI document is made of: names,
// ids, times, free-form objects. Used by render/ and the nouns. A `pattern` and a `format` describe only:
// the gateway does not check them by schema (app.ts), because a handler's own refusal says more.

import type { JsonObject } from "@annals/event";
import { Type, type TSchema } from "typebox";

export { CLOSED, NAME, named } from "@annals/interface";

/**
 * The mark of a detail that the interface leaves open. `_row` is its id in docs/interface.md. It is called
 * once for each row: schemas with the same mark share a constant.
 */
export const openDetail = (_row: string) => ({ "x-annals-open-detail": true }) as const;

/** The keyword with the schemas that the document shows in place of the one that has it: a value fits one. */
export const VARIANTS = "x-annals-variants";

export interface Described {
  readonly maximum?: number;
  readonly minLength?: number;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly "x-annals-open-detail"?: true;
}

/** The id of a resource: its prefix and an opaque string. `text` is that of its example. */
export function Id(
  prefix: string,
  text: string,
  description = `\`${prefix}_\` and an opaque string.`,
) {
  return Type.String({
    pattern: `^${prefix}_[0-9a-z]+$`,
    description,
    examples: [`${prefix}_${text}`],
  });
}

/** The path parameters of a route below one resource. */
export const idIn = (id: TSchema) => Type.Object({ id: Type.Unsafe<string>(id) });

export const TIME_EXAMPLE = "2026-01-31T09:30:00.052919Z";

/** A time in a response. */
export function Time(options: Described = {}) {
  return Type.String({
    format: "date-time",
    description: "ISO 8601, UTC, six fraction digits.",
    examples: [TIME_EXAMPLE],
    ...options,
  });
}

/** What libs/contract reads as a time, with what is between it and the offset. */
const timePattern = (sign: string) =>
  `^\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}(:\\d{2}([.,]\\d+)?)?([Zz]|${sign}\\d{2}(:?\\d{2})?)$`;

const ACCEPTED =
  "RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and " +
  "+01. Fraction digits beyond the sixth are truncated.";

/** A time that a client sends. */
export function GivenTime(description: string, options: Described = {}) {
  return Type.String({
    format: "date-time",
    pattern: timePattern("[+-]"),
    description: `${description} ${ACCEPTED}`,
    examples: ["2026-01-31T09:30:00Z"],
    ...options,
  });
}

/** The same in a query string, where a plus sign is read as a space. */
export function QueryTime(description: string, options: Described = {}) {
  return Type.String({
    ...GivenTime(description, options),
    minLength: 1,
    maxLength: 256,
    pattern: timePattern("[ +-]"),
  });
}

/** A text, or an array of texts; in a query string a parameter that may be repeated. */
export function TextOrTexts(
  { maxItems, maxLength }: { readonly maxItems: number; readonly maxLength: number },
  options: Described,
) {
  const text = { minLength: 1, maxLength };
  const items = { type: "string", ...text };
  // Each keyword applies to one of the two types, so a fault is that of the given one. Generators read anyOf
  // (openapi/schemas.ts).
  const type = [...TEXT_OR_TEXTS];
  return Type.Unsafe<string | string[]>({
    type,
    ...text,
    items,
    minItems: 1,
    maxItems,
    ...options,
  });
}

/** A parameter that is given once: an array has both readings of one with a plus sign (plus-signs.ts). */
export function TextOrReadings(
  text: { readonly minLength: number; readonly maxLength: number },
  options: Described,
) {
  const { maxLength, minLength } = text;
  const { description: _, examples: _2, ...marks } = options;
  return Type.Unsafe<string | string[]>({
    ...TextOrTexts({ maxItems: 2, maxLength }, { minLength, ...options }),
    items: { type: "string", ...text },
    [VARIANTS]: [Type.String({ ...text, ...marks })],
  });
}

/** The types of a {@link TextOrTexts}. */
export const TEXT_OR_TEXTS = ["string", "array"] as const;

/** 32 bytes in hexadecimal. */
export function Hash(options: Described = {}) {
  return Type.String({
    pattern: "^[0-9a-f]{64}$",
    description: "64 lower-case hexadecimal characters.",
    examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
    ...options,
  });
}

export const SequenceNumber = (options: Described = {}) =>
  Type.Integer({
    minimum: 1,
    description: "1 for the account's first event, then increases by one per event.",
    examples: [42],
    ...options,
  });

export const Count = (options: Described = {}) => Type.Integer({ minimum: 0, ...options });

/** An object with any members. */
export const FreeForm = (description: string, example: JsonObject) =>
  Type.Unsafe<JsonObject>({
    type: "object",
    additionalProperties: true,
    description,
    examples: [example],
  });

export const Nullable = <T extends TSchema>(schema: T, options: Described = {}) =>
  Type.Union([schema, Type.Null()], { ...options });
