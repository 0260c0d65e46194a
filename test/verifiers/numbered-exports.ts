// Exports of events with numbers of producers, and what a verifier says of them. Used by producers.test.ts,
// producers-go.test.ts and python-checkpoints.test.ts.

import { canonicalJson } from "@annals/event";
import { chainOf, exportOf } from "./made-export.ts";

interface Numbered {
  readonly id?: string;
  readonly n: number;
  readonly dropped?: number;
  readonly after?: number;
}

type Case = readonly [what: string, numbers: readonly Numbered[], status: number, said: string[]];

export function numberedExport(numbers: readonly Numbered[]): string {
  const contexts = numbers.map(({ dropped = 0, id = "billing-1", ...rest }) =>
    canonicalJson({ producer: { dropped, id, ...rest } }),
  );
  const parts = numbers.map(() => ({}));
  return exportOf(chainOf("acct_1", parts, 1, "0".repeat(64), { contexts }));
}

/** The lines about producers. */
export function producersIn(stdout: string): string[] {
  const mark = "  producer  ";
  const lines = stdout.split("\n").filter((line) => line.startsWith(mark));
  return lines.map((line) => line.slice(mark.length));
}

export const NUMBERED: readonly Case[] = [
  [
    "all are there",
    [{ n: 1 }, { n: 2 }, { n: 3 }],
    0,
    ['"billing-1", 3 events, numbers 1 to 3: none is missing'],
  ],
  [
    "some are not",
    [{ n: 1 }, { n: 2 }, { n: 5 }, { n: 7 }],
    1,
    ['"billing-1", 4 events, numbers 1 to 7: 3 missing: 3-4, 6'],
  ],
  [
    "drops before acceptance leave no gap",
    [{ n: 1 }, { n: 2, dropped: 9 }],
    0,
    ['"billing-1", 2 events, numbers 1 to 2: none is missing; it says that it dropped 9 events'],
  ],
  [
    "a restart, before which one more number may have been given",
    [{ n: 1 }, { n: 3, after: 1 }],
    0,
    ['"billing-1", 2 events, numbers 1 to 3: none is missing'],
  ],
  [
    "a restart after a number that is missing",
    [{ n: 1 }, { n: 4, after: 2 }],
    1,
    ['"billing-1", 2 events, numbers 1 to 4: 1 missing: 2'],
  ],
  [
    "another order, over several gaps",
    [{ n: 1 }, { n: 3 }, { n: 6 }, { n: 9 }, { n: 5 }, { n: 2 }, { n: 8 }, { n: 3 }],
    1,
    ['"billing-1", 8 events, numbers 1 to 9: 2 missing: 4, 7; numbers that appear twice: 1'],
  ],
  [
    "another order",
    [{ n: 1 }, { n: 3 }, { n: 2 }],
    0,
    ['"billing-1", 3 events, numbers 1 to 3: none is missing'],
  ],
  [
    "a number that appears twice",
    [{ n: 1 }, { n: 2 }, { n: 2 }],
    0,
    ['"billing-1", 3 events, numbers 1 to 2: none is missing; numbers that appear twice: 1'],
  ],
  [
    "two producers, which are counted apart",
    [{ n: 7 }, { n: 1, id: "web-1" }, { n: 8 }, { n: 3, id: "web-1" }],
    1,
    [
      '"billing-1", 2 events, numbers 7 to 8: none is missing',
      '"web-1", 2 events, numbers 1 to 3: 1 missing: 2',
    ],
  ],
];
