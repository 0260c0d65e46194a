// The file of the policy of the log (ANNALS_LOG_POLICY_FILE): which witnesses are asked, and where they are.
// Called by serve.ts. The URLs come from here and never from another service: only the operator decides where
// this process connects to.

import { type Closers, followKeyFile, type Logger, readKeyFile } from "@annals/chassis";
import { type WitnessTarget, witnessTargets } from "./domain/witness-targets.ts";

const SETTING = {
  env: "ANNALS_LOG_POLICY_FILE",
  purpose: "names the witnesses of the log",
  messages: {
    isNew: "a new policy of the log is in use",
    cannotBeUsed: "a new policy of the log cannot be used: keeping the current one",
  },
};

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
  let targets = await readKeyFile(SETTING, file, witnessTargets);
  const replace = (text: string): void => {
    targets = witnessTargets(text);
  };
  const following = followKeyFile(SETTING, file, replace, options);
  closers.add("log policy", following, () => following.stop());
  return () => targets;
}
