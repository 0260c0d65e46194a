// Checks the links between events that are shown together. The viewer, the SDK and the dashboard call it. It
// must never take an event's hash as right: checkEvent recomputes it.

import { GENESIS_HASH } from "@annals/event/text";
import type { ProvableEvent } from "./provable-event.ts";

/** `unchecked`: the event before is not among them. */
export type LinkState = "verified" | "differs" | "unchecked";

type Linked = Pick<ProvableEvent, "sequence_number" | "hash" | "previous_hash">;

/** For each event, in the order given, whether it links to the one before it. Any order will do. */
export function checkLinks(events: readonly Linked[]): LinkState[] {
  const hashes = new Map<number, string | undefined>([[0, GENESIS_HASH]]);
  for (const { sequence_number: number, hash } of events) {
    // Two different events with one number: nothing can link to both.
    hashes.set(number, hashes.has(number) && hashes.get(number) !== hash ? undefined : hash);
  }
  return events.map(({ sequence_number: number, previous_hash: previousHash }) => {
    if (!hashes.has(number - 1)) return "unchecked";
    const isLinked = hashes.get(number - 1) === previousHash && hashes.get(number) !== undefined;
    return isLinked ? "verified" : "differs";
  });
}
