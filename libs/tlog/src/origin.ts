// The name of a log that has no other: it is of its first key, so that two logs never have the same one.

import { sha256 } from "./hash.ts";

const DIGITS = 16;

export function originOf(publicKey: Uint8Array): string {
  return `annals/${sha256(publicKey).toString("hex").slice(0, DIGITS)}`;
}
