// Cases of the statements of holds. Called by all.ts.

import type { Cases } from "./case.ts";

/** Beside the hold of the seed: one that is released, and one of the operator. */
const MORE = ({ account }: { readonly account: string }) =>
  `INSERT INTO ledger.holds (account_id, id, from_sequence, to_sequence, owner, placed_by, released_by) VALUES
('${account}', 'hold_2', 3, 4, 'account', 3, 4), ('${account}', 'hold_3', 1, NULL, 'operator', 6, NULL)`;

export const HOLDS: Cases = {
  "ledger.count-holds": [
    ({ account }) => [account, "account"],
    { before: MORE, params: ({ account }) => [account, "account"] },
    { before: MORE, params: ({ account }) => [account, "operator"] },
  ],
  "ledger.create-hold": [
    ({ account }) => [account, "hold_9", "3", "6", "user_1", "account", "6"],
    ({ account }) => [account, "hold_9", "3", null, null, "operator", "6"],
  ],
  "ledger.get-active-hold": [
    ({ account }) => [account, "hold_1"],
    { before: MORE, params: ({ account }) => [account, "hold_2"] },
  ],
  "ledger.list-active-holds": [
    ({ account }) => [account, "9007199254740991", 10],
    { before: MORE, params: ({ account }) => [account, "9007199254740991", 10] },
    { before: MORE, params: ({ account }) => [account, "6", 1] },
  ],
  "ledger.release-hold": [
    ({ account }) => [account, "hold_1", "6"],
    { before: MORE, params: ({ account }) => [account, "hold_2", "6"] },
  ],
};
