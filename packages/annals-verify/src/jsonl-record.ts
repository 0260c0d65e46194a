// Checks a line of a JSON Lines export. Called by check-records.ts.

import { checkLine } from "./check-line.ts";
import { checkedEvent } from "./checked-event.ts";
import type { Checker } from "./checker.ts";
import { FastLines } from "./fast-line.ts";
import { isManifest } from "./manifest.ts";

const MANIFEST_OPENING = Buffer.from('{"manifest":');

export function jsonlChecker(): Checker {
  const fast = new FastLines();
  return {
    manifestIn: (line) => {
      if (!line.subarray(0, MANIFEST_OPENING.length).equals(MANIFEST_OPENING)) return undefined;
      const text = line.toString("utf8");
      return isManifest(text) ? text : undefined;
    },
    check: (line, chain) => {
      const seen = chain === undefined ? undefined : fast.check(line, chain);
      if (seen !== undefined) {
        const { hash, previousHash, sequenceNumber } = seen;
        return { sequenceNumber, hash, previousHash };
      }
      const event = checkLine(line, chain);
      return { ...checkedEvent(event), chain: event.chain };
    },
  };
}
