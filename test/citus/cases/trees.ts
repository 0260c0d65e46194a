// Cases of the statements of the trees. Called by all.ts.

import type { Cases } from "./case.ts";

const HASH = Buffer.alloc(32, 7);
const TILE = Buffer.alloc(8_192, 9);

export const TREES: Cases = {
  "ledger.compare-tiles": [({ account }) => [account, "0", "5"]],
  "ledger.compare-upper-tiles": [({ account }) => [account, 0, "0", "5"]],
  "ledger.create-tiles": [
    // One that is there already, and one that is new.
    ({ account }) => [account, [0, 1], ["0", "0"], [HASH, HASH], [TILE, TILE]],
  ],
  "ledger.create-tree": [
    ({ account }) => [account, "1", HASH, HASH, 7],
    {
      before: ({ account }) => `DELETE FROM ledger.trees WHERE account_id = '${account}'`,
      params: ({ account }) => [account, "1", HASH, HASH, 7],
    },
  ],
  "ledger.find-tree-work": [() => ["", 100], ({ account }) => [account, 1]],
  "ledger.get-sizes": [({ account }) => [account], () => ["acct_none"]],
  "ledger.get-tile": [({ account }) => [account, 0, "0"]],
  "ledger.get-trees": [({ accounts }) => [accounts]],
  "ledger.grow-trees": [
    ({ accounts }) => [
      accounts,
      accounts.map(() => "4"),
      accounts.map(() => "6"),
      accounts.map(() => HASH),
      accounts.map(() => Buffer.concat([HASH, HASH])),
    ],
    // The size is another one.
    ({ accounts }) => [
      accounts,
      accounts.map(() => "3"),
      accounts.map(() => "6"),
      accounts.map(() => HASH),
      accounts.map(() => Buffer.concat([HASH, HASH])),
    ],
  ],
  "ledger.list-entries": [({ account }) => [account, "2", "3"]],
  "ledger.list-leaves": [
    ({ accounts }) => [accounts, accounts.map(() => "1"), accounts.map(() => "5")],
  ],
  "ledger.list-tile-roots": [({ account }) => [account, 0, "0", "9"]],
};
