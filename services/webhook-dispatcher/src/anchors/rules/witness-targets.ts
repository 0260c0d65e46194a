// The witnesses of a policy that are asked: one for each URL, so that a witness with two keys, which has two
// lines, is asked once.

import { parsePolicy } from "@annals/tlog";

export interface WitnessTarget {
  /** The name of the first witness with this URL. */
  readonly name: string;
  readonly url: URL;
}

/** Throws an Error that names the witness, or the line of what is malformed. */
export function witnessTargets(policy: string): WitnessTarget[] {
  const targets = new Map<string, WitnessTarget>();
  for (const { name, url: given } of parsePolicy(Buffer.from(policy)).witnesses) {
    if (given === undefined) continue;
    const url = addCheckpointUrl(name, given);
    if (!targets.has(url.href)) targets.set(url.href, { name, url });
  }
  return [...targets.values()];
}

function addCheckpointUrl(name: string, given: string): URL {
  const url = URL.parse(`${given.replace(/\/$/, "")}/add-checkpoint`);
  const isRight =
    url !== null &&
    ["http:", "https:"].includes(url.protocol) &&
    [url.username, url.password, url.search, url.hash].every((part) => part === "");
  if (!isRight)
    throw new Error(`the URL of the witness ${name} is not that of a server: http:// or https://`);
  return url;
}
