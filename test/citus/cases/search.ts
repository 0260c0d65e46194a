// Cases of the statements that read and search events. Called by all.ts.

import type { Cases } from "./case.ts";

/** What the first events of each account match. */
const FILTER = [
  "invoice.create",
  "invoice.",
  "invoice/",
  "2020-01-11T09:30:00.000000Z",
  "2020-01-15T00:00:00.000000Z",
  "user_1",
  "user",
  "inv_1",
  "invoice",
];

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
  "ledger.find-actions": [({ account }) => [account, "invoice.", "user", 100]],
  "ledger.find-chunks-by-time": [
    ({ account }) => [account, 0, 1, "2020-01-12T00:00:00.000000Z", "2020-02-01T00:00:00.000000Z"],
    ({ account }) => [account, 0, 5, "2020-03-01T00:00:00.000000Z", "2020-04-01T00:00:00.000000Z"],
  ],
  "ledger.find-hidden-event": [
    ({ account }) => [account, "0", "1", "6"],
    ({ account }) => [account, "0", "4", "4"],
    ({ account }) => [account, "2", "8193", "8200"],
  ],
  "ledger.find-in-range": [({ account }) => [account, 1, 6, ...FILTER]],
  "ledger.find-of-numbers": [({ account }) => [account, [5, 4, 1, 9, 2], ...FILTER]],
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
