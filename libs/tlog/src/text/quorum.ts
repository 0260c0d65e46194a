// Decides whether witnesses make a quorum of a policy, and since when. Called with the cosignatures that
// check-note.ts found valid.

import type { Policy } from "./policy.ts";

export interface Cosignature {
  /** The witness's name within the policy. */
  readonly witness: string;
  /** Seconds since 1970. */
  readonly time: number;
}

/** `witnesses` are names within the policy. A policy with `quorum none` needs none of them. */
export function meetsQuorum(policy: Policy, witnesses: Iterable<string>): boolean {
  if (policy.quorum === undefined) return true;
  const met = new Set(witnesses);
  for (const { members, name, threshold } of policy.groups) {
    // Members stand before their group, so one pass suffices.
    if (members.filter((member) => met.has(member)).length >= threshold) met.add(name);
  }
  return met.has(policy.quorum);
}

/**
 * The time of the earliest cosignatures that make a quorum; undefined if they make none, or if the
 * policy needs none.
 */
export function quorumTime(
  policy: Policy,
  cosignatures: readonly Cosignature[],
): number | undefined {
  if (policy.quorum === undefined) return undefined;
  const seen: string[] = [];
  for (const { time, witness } of cosignatures.toSorted((a, b) => a.time - b.time)) {
    seen.push(witness);
    if (meetsQuorum(policy, seen)) return time;
  }
  return undefined;
}
