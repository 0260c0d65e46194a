// The rule of a new hold: which events it may cover, and how many holds there may be. Called by
// place-hold.ts.

import { AnnalsError, invalid } from "@annals/errors";
import { isText, notText } from "../../append/rules/check-text.ts";

/** Counts for each owner by itself, so that an account never keeps the operator from placing one. */
const MAX_ACTIVE = 1_000;
/** Released ones count too, because every erasure checks the records of those that cover its events. */
const MAX_PLACED = 10_000;

export interface HeldRange {
  readonly fromSequence: bigint;
  /** Undefined: it has no end, and covers events that are stored later. */
  readonly toSequence: bigint | undefined;
  /** Undefined: of all actors. */
  readonly actorId: string | undefined;
}

/** Throws `invalid`. */
export function checkRange({ actorId, fromSequence, toSequence }: HeldRange): void {
  checkNumber("from_sequence", fromSequence);
  if (toSequence !== undefined) {
    checkNumber("to_sequence", toSequence);
    if (toSequence < fromSequence)
      throw invalid({ field: "to_sequence", message: "must not be less than from_sequence" });
  }
  if (actorId !== undefined && !isText(actorId)) throw notText("actor_id", actorId);
}

/** Throws `plan_count_exceeded`. */
export function requireRoom(held: { readonly active: number; readonly placed: number }): void {
  if (held.active >= MAX_ACTIVE) {
    throw new AnnalsError(
      "plan_count_exceeded",
      `An account can have ${MAX_ACTIVE} active holds. Release one first.`,
    );
  }
  if (held.placed >= MAX_PLACED) {
    throw new AnnalsError(
      "plan_count_exceeded",
      `An account can place ${MAX_PLACED} holds in all, with those that were released.`,
    );
  }
}

function checkNumber(field: string, number: bigint): void {
  if (number < 1n || number > BigInt(Number.MAX_SAFE_INTEGER))
    throw invalid({ field, message: "must be a sequence number, 1 or more" });
}
