// What a request to erase selects, how it is stored, and what is kept of it when it has ended. Called by the
// handlers of erasures and by worker/erasures.ts. It must never keep a value of a request that has ended.

import { AnnalsError, invalid } from "@annals/errors";
import { canonicalJson, erasedBits, PARTS } from "@annals/event";
import { hash } from "node:crypto";
import { isText, notText } from "../../append/rules/check-text.ts";
import { sequenceOfId } from "../../events/rules/event-id.ts";

/** One of them is set. */
export interface Selector {
  readonly actorId?: string | undefined;
  readonly targetId?: string | undefined;
  readonly eventId?: string | undefined;
}

export interface AskedErasure extends Selector {
  readonly parts: readonly string[];
  readonly reference?: string | undefined;
}

export interface CheckedErasure {
  readonly selector: Selector;
  /** The bits of the parts. */
  readonly parts: number;
  readonly reference: string | undefined;
}

/** Open erasures of an account, and events of each. */
const MAX_OPEN = 10;
export const MAX_EVENTS = 1_000_000;

const SALT_BYTES = 16;
const MEMBERS = ["actor_id", "target_id", "event_id"] as const;

/** Throws `invalid`, which names the first member at fault. */
export function checkErasure({ parts, reference, ...selector }: AskedErasure): CheckedErasure {
  const given = membersOf(selector).filter(([, value]) => value !== undefined);
  const [[field, value] = ["actor_id", undefined] as const] = given;
  if (given.length !== 1) {
    const message = "exactly one of actor_id, target_id and event_id is required";
    throw invalid({ field, message });
  }
  if (!isText(value ?? "")) throw notText(field, value);
  if (parts.length === 0) throw invalid({ field: "parts", message: "must not be empty" });
  const unknown = parts.findIndex((part) => !PARTS.some((each) => each === part));
  if (unknown >= 0)
    throw invalid({ field: `parts[${unknown}]`, message: `must be one of ${PARTS.join(", ")}` });
  if (reference !== undefined && !isText(reference)) throw notText("reference", reference);
  const bits = erasedBits(PARTS.filter((part) => parts.includes(part)));
  return { selector, parts: bits, reference };
}

/** Erasures that an account may ask for in a day of UTC, with those that it cancels: each counts events. */
export const MAX_ERASURES_PER_DAY = 1_000;

/** Throws `plan_count_exceeded`. */
export function requireFewOpen(open: number): void {
  if (open < MAX_OPEN) return;
  const message = `An account can have ${MAX_OPEN} erasures that have not ended. Cancel one, or wait.`;
  throw new AnnalsError("plan_count_exceeded", message);
}

/** The JSON text that is stored. */
export function selectorText(selector: Selector): string {
  const given = membersOf(selector).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return canonicalJson(Object.fromEntries(given));
}

/** Its name in the interface. */
export function selectorMember(selector: Selector): string {
  return membersOf(selector).find(([, value]) => value !== undefined)?.[0] ?? "";
}

/** The selector of a stored text. */
export function selectorOf(text: string): Selector {
  const members: Partial<Record<string, string>> = JSON.parse(text);
  const { actor_id: actorId, event_id: eventId, target_id: targetId } = members;
  return { actorId, targetId, eventId };
}

/**
 * What is kept of a selector: a random salt, and the SHA-256 of salt and text. A reader who knows the value
 * can confirm that the request was about it; the value cannot be read from it.
 */
export function selectorDigest(text: string, random: (size: number) => Uint8Array): Buffer {
  const salt = random(SALT_BYTES);
  return Buffer.concat([salt, hash("sha256", Buffer.concat([salt, Buffer.from(text)]), "buffer")]);
}

/** The number of the one event that an id selects; undefined if no event can have the id. */
export function numberOf({ eventId }: Selector): number | undefined {
  return eventId === undefined ? undefined : sequenceOfId(eventId);
}

function membersOf({ actorId, targetId, eventId }: Selector) {
  const values = [actorId, targetId, eventId];
  return MEMBERS.map((name, at) => [name, values[at]] as const);
}
