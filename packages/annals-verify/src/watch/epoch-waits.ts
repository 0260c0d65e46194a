// Step 6 of the verification, for the watch: how long epochs, and events that the watch itself has seen
// uncovered, waited until a quorum of witnesses had seen them. Called by watch-log.ts.

import { secondsOf } from "../evidence/anchoring.ts";
import { EvidenceFault } from "../evidence/evidence-fault.ts";
import type { SeenHead } from "../evidence/head-walk.ts";
import type { Watched } from "./watch-state.ts";

/**
 * Throws EvidenceFault (anchored_late) for an epoch that a quorum saw more than `maxLag` seconds after it
 * was closed. If the policy has no witnesses, no head has a time.
 */
export function checkEpochs(heads: readonly SeenHead[], maxLag: number): void {
  let seen = Infinity;
  let first: EvidenceFault | undefined;
  // Who saw a later head had seen all before it, so the times come from the end.
  for (const { closed, epoch, time = Infinity } of heads.toReversed()) {
    seen = Math.min(seen, time);
    const seconds = seen - secondsOf(closed);
    if (seen < Infinity && !(seconds <= maxLag))
      first = late(`epoch ${epoch}: a quorum saw it ${Math.ceil(seconds)} s after it was closed`);
  }
  if (first !== undefined) throw first;
}

/**
 * Throws EvidenceFault for events that an earlier call saw and that no head covers in time: anchored_late;
 * or that the service no longer has: checkpoint_conflict. `now` is in seconds since 1970.
 */
export function checkWatched(
  watched: Watched | undefined,
  heads: readonly SeenHead[],
  size: number,
  maxLag: number,
  now: number,
): void {
  if (watched === undefined) return;
  const there = `there were ${watched.size} events at ${new Date(watched.time * 1000).toISOString()}`;
  if (size < watched.size)
    throw new EvidenceFault("checkpoint_conflict", `${there}, and now there are ${size}`);
  const covering = heads.filter((head) => head.size >= watched.size);
  // Without a time the policy has no witnesses: that an epoch covers the events is all there is.
  const seen = covering.length === 0 ? now : firstSeen(covering);
  const what = covering.length === 0 ? "no epoch covers them yet" : "a quorum saw them";
  const seconds = (seen ?? watched.time) - watched.time;
  if (!(seconds <= maxLag)) throw late(`${there}; ${what}, ${Math.ceil(seconds)} s later`);
}

function firstSeen(heads: readonly SeenHead[]): number | undefined {
  const times = heads.flatMap(({ time }) => (time === undefined ? [] : [time]));
  return times.length === 0 ? undefined : times.reduce((least, time) => Math.min(least, time));
}

function late(message: string): EvidenceFault {
  return new EvidenceFault("anchored_late", message);
}
