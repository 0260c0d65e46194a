// Cases of the statements that read and search events. Called by all.ts.

import type { Cases } from "./case.ts";

/** What the first events of each account match. */
const FILTER = [
  ["invoice.create", "invoice.pay"],
  ["invoice.c"],
  "2020-01-11T09:30:00.000000Z",
  "2020-01-15T00:00:00.000000Z",
  "2020-02-01T00:00:00.000000Z",
  "2020-02-01T00:00:00.000001Z",
  ["user_1", "user_2"],
  ["user", "service"],
  ["inv_1", "inv_2"],
  ["invoice"],
];
/** Prefixes alone, and what does not filter. */
const PREFIXES = [[], ["invoice.", "user."], ...Array.from({ length: 8 }, () => null)];

/** The beginning of a day of 2020. */
const at = (month: number, day: number) =>
  `2020-0${month}-${String(day).padStart(2, "0")}T00:00:00.000000Z`;

const LARGE = 1_000_000;
const SMALL = 120;

/** Ranges with both ends, of many bytes and of few. */
const RANGES: Cases[string] = [
  ({ account }) => [account, "2", "5", 3, LARGE],
  ({ account }) => [account, "2", "5", 100, SMALL],
];
/** Numbers in an order of their own. */
const NUMBERS: Cases[string] = [
  ({ account }) => [account, [5, 4, 1, 9, 2], LARGE, ...FILTER],
  ({ account }) => [account, [1, 4], SMALL, ...FILTER],
];

export const SEARCH: Cases = {
  "ledger.find-actions": [
    ({ account }) => [account, ["invoice.", "user."], ["invoice/", null], 100],
    ({ account }) => [account, ["user.", "invoice."], [null, "invoice/"], 1],
  ],
  "ledger.find-chunks-by-time": [
    ({ account }) => [account, 0, 1, at(1, 12), at(2, 1), null, null],
    ({ account }) => [account, 0, 5, at(3, 1), at(4, 1), null, null],
    ({ account }) => [account, 0, 5, null, null, at(2, 2), at(3, 1)],
    ({ account }) => [account, 0, 5, null, null, null, at(1, 31)],
  ],
  "ledger.find-hidden-event": [
    ({ account }) => [account, "0", "1", "6"],
    ({ account }) => [account, "0", "4", "4"],
    ({ account }) => [account, "2", "8193", "8200"],
  ],
  "ledger.find-in-range": [
    ({ account }) => [account, 1, 6, ...FILTER],
    ({ account }) => [account, 1, 6, ...PREFIXES],
  ],
  "ledger.find-of-numbers": [
    ({ account }) => [account, [5, 4, 1, 9, 2], ...FILTER],
    ({ account }) => [account, [5, 4, 1, 9, 2], ...PREFIXES],
  ],
  "ledger.find-postings": [
    ({ account }) => [
      account,
      [0, 1],
      ["action", "actor_id"],
      ["invoice.create", "user_1"],
      1,
      LARGE,
    ],
    ({ account }) => [account, [1, 0], ["action", "actor_id"], ["invoice.create", "user_1"], -1, 1],
    ({ account }) => [account, [1], ["action"], ["user.login"], 1, 1],
  ],
  "ledger.get-search-ends": [({ account }) => [account]],
  "ledger.list-events-ascending": RANGES,
  "ledger.list-events-descending": RANGES,
  "ledger.list-events-of-numbers": NUMBERS,
  "ledger.list-values": [({ account }) => [account, [5, 4, 1, 9, 2], ...FILTER]],
  "ledger.measure-events": [
    ({ account }) => [account, 2n, 3, false],
    ({ account }) => [account, 6n, 3, true],
  ],
  "ledger.read-events": [
    ({ account }) => [account, [1n, 2n, 5n, 9n], LARGE],
    ({ account }) => [account, [2n, 1n, 5n], SMALL],
  ],
  "ledger.read-range": [({ account }) => [account, "2", "9", 3]],
  "ledger.stream-events": RANGES,
  "ledger.stream-events-of-numbers": NUMBERS,
};
