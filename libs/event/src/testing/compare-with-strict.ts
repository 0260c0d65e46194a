// Compares the one pass over an event's bytes with the strict path, for the tests of the pass.

import { isUtf8 } from "node:buffer";
import {
  checkEventBytes,
  type EventBytes,
  type EventBytesLimits,
  readEventBytes,
} from "../json/event-bytes.ts";
import type { EventReader } from "../json/event-reader.ts";
import { type Body, mutatedBody, ordinaryBodies } from "./mutated-bodies.ts";
import { type Form, strictEvents } from "./strict-events.ts";

export const LIMITS: EventBytesLimits = { maxDepth: 34, maxValues: 60_000, maxEvents: 1_000 };

/** Beyond so many differences nothing more is learned. */
const MOST_DIFFERENCES = 1;

export function resultOf<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** What the pass finds in the body; with another reader in place of its own where one is given. */
export function found(
  { form, bytes }: Body,
  limits = LIMITS,
  Reader?: typeof EventReader,
): EventBytes | undefined {
  if (Reader === undefined) {
    return resultOf(
      form === "array" ? checkEventBytes(bytes, limits) : readEventBytes(bytes, form, limits),
    );
  }
  if (!isUtf8(bytes)) return undefined;
  const reader = new Reader(bytes, limits, form === "array");
  if (form === "event") return reader.readEvent();
  return resultOf(form === "batch" ? reader.readBatch() : reader.checkArray());
}

/** A sentence where what the pass found is not what the strict path makes of the body. */
export function differenceOf(
  body: Body,
  result: EventBytes | undefined,
  limits = LIMITS,
): string | undefined {
  if (result === undefined) return undefined;
  const shown = `${body.form} ${JSON.stringify(body.bytes.toString())}`;
  const strict = strictEvents(body.bytes, body.form, limits);
  if (strict === undefined) return `accepted, and the strict path does not: ${shown}`;
  const places = strict.places.join();
  if (!Buffer.from(strict.text).equals(result.bytes)) return `other bytes: ${shown}`;
  if (strict.count !== result.count) return `another count: ${shown}`;
  if (places !== result.places.join()) return `other places: ${shown}`;
  if (body.form === "array") return undefined;
  // The array of one event is a level and an element more than its body.
  const { maxDepth, maxValues, maxEvents } = limits;
  const more = { maxDepth: maxDepth + 1, maxValues: maxValues + 1, maxEvents };
  const checked = found({ form: "array", bytes: Buffer.from(result.bytes) }, more);
  if (checked === undefined) return `what it wrote is not accepted: ${shown}`;
  return places === checked.places.join() ? undefined : `other places when checked: ${shown}`;
}

/** Whether the pass takes the body. Throws where that is not what the strict path makes of it. */
export function isPlain(text: string, form: Form = "event", limits = LIMITS): boolean {
  const body = { form, bytes: Buffer.from(text) };
  const result = found(body, limits);
  const difference = differenceOf(body, result, limits);
  if (difference !== undefined) throw new Error(difference);
  return result !== undefined;
}

/** The canonical array of what the pass makes of the body. */
export function written(text: string, form: Form = "event"): string | undefined {
  const result = found({ form, bytes: Buffer.from(text) });
  return result && Buffer.from(result.bytes).toString();
}

export const ORDINARY_BODIES = ordinaryBodies((body) => found(body)?.bytes);

export interface Compared {
  readonly differences: readonly string[];
  readonly accepted: number;
}

/** Compares so many mutated bodies, until some differences were found. */
export function mutatedDifferences(
  { seed, bodies }: { readonly seed: number; readonly bodies: number },
  pass: (body: Body) => EventBytes | undefined,
  limits = LIMITS,
): Compared {
  const differences: string[] = [];
  let accepted = 0;
  for (let index = 0; index < bodies && differences.length < MOST_DIFFERENCES; index += 1) {
    const body = mutatedBody(ORDINARY_BODIES, seed, index);
    const result = pass(body);
    if (result) accepted += 1;
    const difference = differenceOf(body, result, limits);
    if (difference !== undefined) differences.push(difference);
  }
  return { differences, accepted };
}
