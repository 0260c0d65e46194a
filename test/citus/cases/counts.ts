// Cases of the statements that count events. Called by all.ts.

import type { Cases } from "./case.ts";
import { FILTER, PREFIXES } from "./search.ts";

const CHUNK = 4_096;
const LARGE = 1_000_000;
/** Fields, the ends of ranges of their keys, and terms. */
const VALUES = [
  [1, 2],
  ["invoice.create", "user_1"],
  ["invoice.create\u0001", "user_1\u0001"],
  [0, 1],
] as const;
const ALL = [[1], [""], ["~"], [0]] as const;
const FROM_CONTEXT = ["context", ["n"], "number"] as const;

export const COUNTS: Cases = {
  "ledger.find-blocks": [
    ({ account }) => [account, [0, 0], [CHUNK, 0], ...VALUES, LARGE, LARGE, true],
    ({ account }) => [account, [0, 0], [CHUNK, 0], ...ALL, LARGE, LARGE, false],
    ({ account }) => [account, [0, 0], [CHUNK, 0], ...ALL, 1, 1, true],
    // One segment is not there.
    ({ account }) => [account, [1, 0], [CHUNK, 0], ...ALL, LARGE, LARGE, true],
  ],
  "ledger.find-runs": [
    ({ account }) => [account, [CHUNK, 0], "minutes", LARGE],
    ({ account }) => [account, [CHUNK, 0, 9 * CHUNK], "quarters", LARGE],
    ({ account }) => [account, [0], "quarters", 1],
  ],
  "ledger.get-times": [
    ({ account }) => [account, 0, 1, 100],
    ({ account }) => [account, 2 * CHUNK, 3, 2],
  ],
  "ledger.list-unindexed": [
    ({ account }) => [account, 1, 9, 10],
    {
      before: ({ account }) =>
        `INSERT INTO ledger.unindexed VALUES ('${account}', 2, 1, 'a', 1), ('${account}', 2, 2, 'b', 1), ('${account}', 4, 1, 'a', 1)`,
      params: ({ account }) => [account, 1, 9, 10],
    },
  ],
  "ledger.read-columns": [
    ({ account }) => [account, [9, 5, 4, 2, 1], ["action", "actor_id"], ...FILTER],
    ({ account }) => [account, [5, 4], [""], ...PREFIXES],
  ],
  "ledger.read-values": [
    ({ account }) => [account, [9, 5, 4, 2, 1], ...FROM_CONTEXT, false, LARGE, ...FILTER],
    ({ account }) => [account, [5, 4, 1], ...FROM_CONTEXT, true, 1, ...PREFIXES],
  ],
};
