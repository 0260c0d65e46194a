// Cases of the statements that read and search events. Called by all.ts.

import type { Cases } from "./case.ts";

/** What the first events of each account match. */
export const FILTER = [
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
  ["invoice.update"],
  ["user."],
  ["user_3"],
  ["service"],
  ["inv_3"],
  ["user"],
];
/** Prefixes alone, and what does not filter. */
export const PREFIXES = [[], ["invoice.", "user."], ...Array.from({ length: 14 }, () => null)];
/** What metadata has, and what it has not. */
const IN_PARTS = JSON.stringify([
  inPart({ part: "metadata", members: "{ünïcode}", since: ["✓"], before: ["✓\u0001"] }),
  inPart({ part: "context", members: "{n}", since: ["4"], before: ["5"], is_excluded: true }),
]);

function inPart(of: object) {
  return { type: "string", ignore_case: false, is_excluded: false, ...of };
}

/** A field whose values are read. */
const OF_OUTCOME = JSON.stringify([
  { part: "metadata", members: "{outcome}", type: "string", ignore_case: false },
]);

const PARTS = ["actor.meta", "target.meta", "context", "diff", "metadata"];

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
const CHUNK = 4_096;
/** Fields, and the ends of ranges of their keys. */
const VALUES = [
  [1, 2],
  ["invoice.create", "user_1"],
  ["invoice.create\u0001", "user_1\u0001"],
] as const;
/** Numbers in an order of their own. */
const NUMBERS: Cases[string] = [
  ({ account }) => [account, [5, 4, 1, 9, 2], LARGE, ...FILTER],
  ({ account }) => [account, [1, 4], SMALL, ...FILTER],
];

/** A declared field of the account. */
const FIELD = ({ account }: { readonly account: string }) =>
  `INSERT INTO ledger.fields VALUES
('${account}', 17, 'ip', '{context,ip}', 'ip', false, 4096, 0, '2020-01-01T00:00:00.000000Z', NULL)`;

/** Two searches that the account keeps. */
const SAVED = ({ account }: { readonly account: string }) =>
  `INSERT INTO ledger.searches VALUES
('${account}', 'srch_1', 'a', '{}', '{}', '[]', false, '2020-01-01', '2020-01-01'),
('${account}', 'srch_2', 'b', '{}', '{}', '[]', true, '2020-01-02', '2020-01-03')`;

export const SEARCH: Cases = {
  "ledger.find-hidden-time": [
    ({ account }) => [account, 1, 6],
    ({ account }) => [account, 4, 4],
    // There is no such segment.
    ({ account }) => [account, 8_193, 8_200],
  ],
  "ledger.find-hidden-value": [
    ({ account }) => [account, 0, 0, 1, 6, 1, null, null, null],
    ({ account }) => [account, 0, 0, 4, 4, 2, null, null, null],
    ({ account }) => [account, 0, 2 * CHUNK, 8_193, 8_200, 1, null, null, null],
    ({ account }) => [account, 0, 0, 1, 6, 6, ["metadata", "ünïcode"], "string", true],
    {
      before: FIELD,
      params: ({ account }) => [
        account,
        0,
        CHUNK,
        4_097,
        4_100,
        17,
        ["context", "n"],
        "number",
        false,
      ],
    },
  ],
  "ledger.find-in-parts": [
    ({ account }) => [account, [5, 4, 1, 9, 2], LARGE, IN_PARTS, ...PREFIXES],
    ({ account }) => [account, [5, 4, 1], SMALL, IN_PARTS, ...FILTER],
  ],
  "ledger.find-in-range": [
    ({ account }) => [account, 1, 6, ...FILTER],
    ({ account }) => [account, 1, 6, ...PREFIXES],
  ],
  "ledger.find-of-numbers": [
    ({ account }) => [account, [5, 4, 1, 9, 2], ...FILTER],
    ({ account }) => [account, [5, 4, 1, 9, 2], ...PREFIXES],
  ],
  "ledger.find-places": [
    ({ account }) => [account, [0, 0], [0, CHUNK], ...VALUES, 1, LARGE],
    ({ account }) => [account, [0, 0], [CHUNK, 0], ...VALUES, -1, 1],
    // One segment is not there.
    ({ account }) => [account, [0, 1], [CHUNK, 0], [1], ["user."], ["user/"], 1, 1],
  ],
  "ledger.find-segments": [
    ({ account }) => [account, 1, 2 * CHUNK, at(1, 12), at(2, 1), null, null],
    ({ account }) => [account, 1, 6 * CHUNK, at(3, 1), at(4, 1), null, null],
    ({ account }) => [account, 1, 6 * CHUNK, null, null, at(2, 2), at(3, 1)],
    ({ account }) => [account, CHUNK, CHUNK + 1, null, null, null, at(1, 31)],
  ],
  "ledger.create-search-field": [
    ({ account }) => [account, 16, "n", ["context", "n"], "number", false, "0", at(1, 1)],
  ],
  "ledger.delete-search-field": [
    ({ account }) => [account, 17, at(1, 2)],
    { before: FIELD, params: ({ account }) => [account, 17, at(1, 2)] },
  ],
  "ledger.list-kept-fields": [{ before: FIELD, params: ({ account }) => [account] }],
  "ledger.list-search-fields": [
    ({ account }) => [account],
    { before: FIELD, params: ({ account }) => [account] },
  ],
  "ledger.get-runs": [({ account }) => [account, 0], ({ account }) => [account, 2 * CHUNK]],
  "ledger.make-runs": [({ account }) => [account, 0], ({ account }) => [account, 2 * CHUNK]],
  "ledger.count-saved-searches": [{ before: SAVED, params: ({ account }) => [account] }],
  "ledger.create-saved-search": [
    ({ account }) => [account, "srch_9", "a", "{}", "{}", "[]", at(1, 1)],
  ],
  "ledger.delete-saved-search": [
    ({ account }) => [account, "srch_1"],
    { before: SAVED, params: ({ account }) => [account, "srch_1"] },
  ],
  "ledger.list-saved-searches": [{ before: SAVED, params: ({ account }) => [account] }],
  "ledger.lock-saved-search": [
    ({ account }) => [account, "srch_1"],
    { before: SAVED, params: ({ account }) => [account, "srch_2"] },
  ],
  "ledger.lock-searches": [({ account }) => [account]],
  "ledger.update-saved-search": [
    {
      before: SAVED,
      params: ({ account }) => [account, "srch_1", "b", "{}", "{}", "[]", true, at(1, 2)],
    },
    ({ account }) => [account, "srch_9", "b", "{}", "{}", "[]", false, at(1, 2)],
  ],
  "ledger.find-text": [
    ({ account }) => [
      account,
      [5, 4, 1, 9, 2],
      LARGE,
      PARTS,
      Buffer.from("invoice"),
      null,
      ...PREFIXES,
    ],
    ({ account }) => [
      account,
      [5, 4, 1],
      SMALL,
      ["context"],
      Buffer.from("none"),
      Buffer.from("ünïcode"),
      ...FILTER,
    ],
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
  "ledger.measure-fields": [
    ({ account }) => [account, 2n, 3, LARGE, OF_OUTCOME],
    ({ account }) => [account, 0n, 9, SMALL, OF_OUTCOME],
  ],
  "ledger.read-events": [
    ({ account }) => [account, [1n, 2n, 5n, 9n], LARGE],
    ({ account }) => [account, [2n, 1n, 5n], SMALL],
  ],
  "ledger.read-newest-parts": [
    ({ account }) => [account, 3, LARGE],
    ({ account }) => [account, 9, SMALL],
  ],
  "ledger.read-range": [({ account }) => [account, "2", "9", 3]],
  "ledger.stream-events": RANGES,
  "ledger.stream-events-of-numbers": NUMBERS,
};
