// An event as a widget token or a sink shows it: without the parts that it hides, and without their salts, so
// that guesses at hidden parts cannot be confirmed. Called by rpc/render-widget-event.ts and
// rpc/event-records.ts. The digests stay, so that the hash can be recomputed. It must never let through a
// byte of a hidden part.

import { WIDGET_PARTS, type WidgetPart } from "@annals/contract";
import { erasedBut, type Part, PARTS, quote, SALT_BYTES } from "@annals/event";

export interface PartsAndSalts extends Readonly<Record<Part, string>> {
  /** Salts in the order of PARTS. */
  readonly salts: Uint8Array;
  /** The erased parts (libs/event/src/erased-parts.ts); of a hidden part it is not said. */
  readonly erased: number;
}

export interface Shown extends PartsAndSalts {
  /** The parts of the event that are not shown. */
  readonly hidden: readonly WidgetPart[];
}

/**
 * Hides all parts but those named in `shown`. If `actor.meta` or `target.meta` is hidden, the rest of the
 * actor or target stays. If it has no meta, nothing is hidden, and it can be verified.
 */
export function hideParts(event: PartsAndSalts, shown: readonly string[]): Shown {
  const { actor, context, diff, metadata, target } = event;
  const texts = { actor, context, diff, metadata, target };
  const salts = Buffer.from(event.salts);
  const hidden: WidgetPart[] = [];
  for (const name of WIDGET_PARTS) {
    if (shown.includes(name)) continue;
    const part = partOf(name);
    const rest = name === part ? "" : withoutMeta(texts[part]);
    if (rest === undefined) continue;
    texts[part] = rest;
    const at = PARTS.indexOf(part) * SALT_BYTES;
    salts.fill(0, at, at + SALT_BYTES);
    hidden.push(name);
  }
  return { ...texts, salts, hidden, erased: erasedBut(event.erased, hidden) };
}

/** The part that holds what `name` names: `actor` for `actor.meta`, `diff` for `diff`. */
export function partOf(name: WidgetPart): Part {
  return name.replace(".meta", "") as Part;
}

/** The canonical text of an actor or a target without its meta; undefined if it has no meta. */
function withoutMeta(text: string): string | undefined {
  const given = objectOf(text);
  if (given && !("meta" in given)) return undefined;
  const kept = (["id", "type"] as const).flatMap((name) => {
    const value = given?.[name];
    return typeof value === "string" ? [`${quote(name)}:${quote(value.toWellFormed())}`] : [];
  });
  return `{${kept.join(",")}}`;
}

/** Undefined if the text is not an object: the database was changed, so nothing of the text is shown. */
function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text || "{}");
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
