// The file of the policy of the log (ANNALS_LOG_POLICY_FILE): which witnesses are asked, and where they are.
// Called by start-anchors.ts. The URLs come from here and never from another service: only the operator
// decides where this process connects to.

import {
  type Closers,
  followKeyFile,
  LOG_POLICY_FILE,
  type Logger,
  readKeyFile,
} from "@annals/chassis";
import { type WitnessTarget, witnessTargets } from "./rules/witness-targets.ts";

interface Around {
  readonly closers: Closers;
  readonly log: Logger;
  readonly intervalMs?: number;
}

/** Throws a ConfigError. The function that it resolves to gives the witnesses of the policy in use. */
export async function openLogWitnesses(
  { logPolicyFile: file }: { readonly logPolicyFile: string | undefined },
  { closers, ...options }: Around,
): Promise<() => readonly WitnessTarget[]> {
  if (file === undefined) return () => [];
  const read = await readKeyFile(LOG_POLICY_FILE, file, witnessTargets);
  let targets = read.parsed;
  const replace = (text: string): void => {
    targets = witnessTargets(text);
  };
  const inUse = read.text;
  const following = followKeyFile(LOG_POLICY_FILE, file, replace, { ...options, inUse });
  closers.add("log policy", following, () => following.stop());
  return () => targets;
}
