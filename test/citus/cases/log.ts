// Cases of the statements of the head log, and of the accounts' heads in it. Called by all.ts.

import { type Cases, PROPOSAL } from "./case.ts";

const HASH = Buffer.alloc(32, 7);
const TILE = Buffer.alloc(8_192, 9);
const TIME = "2020-03-01T00:00:00.000000Z";

export const LOG: Cases = {
  "ledger.claim-epochs": [() => [1, "closer", 60]],
  "ledger.close-epoch": [
    () => [2, "3", "entry", HASH, HASH, HASH],
    // The proposal is another one.
    () => [2, "3", "another", HASH, HASH, HASH],
  ],
  "ledger.create-account-head": [
    ({ account }) => [account, 1, "5", "9", HASH],
    ({ account }) => [account, 1, "3", "9", HASH],
  ],
  "ledger.create-anchor": [
    () => [1, "2", "witness", "w2", HASH, 1_577_836_800],
    () => [1, "2", "witness", "w1", HASH, 1_577_836_800],
    () => [1, "2", "bucket", "b2", HASH, 1_577_836_800],
  ],
  "ledger.create-epoch": [
    () => [1, "99", "entry", TIME, "checkpoint", HASH, true],
    () => [1, "1", "another", TIME, "checkpoint", HASH, true],
  ],
  "ledger.create-log": [() => [99, "another", HASH, HASH], () => [1, "another", HASH, HASH]],
  "ledger.create-log-tiles": [() => [1, [0, 1], ["0", "0"], [HASH, HASH], [TILE, TILE]]],
  "ledger.create-successor": [
    () => [99, "another", HASH, HASH, "entry"],
    () => [1, "another", HASH, HASH, "entry"],
  ],
  "ledger.create-proposed-heads": [() => [2, "3", PROPOSAL, 7, HASH]],
  "ledger.delete-proposed-heads": [() => [2, "4"], () => [2, "3"]],
  "ledger.forget-missing": [() => [2, "missing"], () => [2, "another"]],
  "ledger.forget-maps": [() => [1, ["1", "2"]]],
  "ledger.get-last-map-of-day": [
    () => [1, "1", "2020-03-02", "3"],
    () => [1, "1", "2020-02-29", "3"],
  ],
  "ledger.get-next-account-head": [
    ({ account }) => [account, 1, "0"],
    ({ account }) => [account, 1, "3"],
  ],
  "ledger.get-account-head": [
    ({ account }) => [account, 1, "2"],
    ({ account }) => [account, 1, "4"],
  ],
  "ledger.get-heads-in-epochs": [({ account }) => [account, 1, ["2", "4"]]],
  "ledger.get-epoch": [() => [1, "2"]],
  "ledger.get-log": [() => []],
  "ledger.get-log-of": [() => [1]],
  "ledger.get-log-tile": [() => [1, 0, "0"]],
  "ledger.get-newest-epoch": [() => [1]],
  "ledger.get-newest-map-entry": [() => [1, "3"]],
  "ledger.get-newest-served-epoch": [() => [1]],
  "ledger.get-proposal": [() => [2], () => [1]],
  "ledger.get-proposed-heads": [() => [2, "3", PROPOSAL, 0]],
  "ledger.get-served-epoch": [() => []],
  "ledger.get-serving-epoch": [() => [1, "2"]],
  "ledger.get-serving-epochs": [() => [1, ["1", "2"]], () => [2, ["99"]]],
  "ledger.get-newest-locked": [() => [1], () => [2]],
  "ledger.get-unlocked-since": [() => [1, "b1"], () => [1, "b2"]],
  "ledger.get-unserved-since": [() => [1], () => [2]],
  "ledger.get-unstamped-since": [() => [1]],
  "ledger.get-tree-heads": [({ accounts }) => [accounts]],
  "ledger.keep-checkpoint": [({ account }) => [account, 1, "3", "signed"]],
  "ledger.list-account-heads": [
    ({ account }) => [account, 1, "0", "3", 10],
    ({ account }) => [account, 1, "1", "3", 1],
  ],
  "ledger.list-anchors": [() => [1, "2", "witness"]],
  "ledger.list-anchors-of-epochs": [() => [1, ["1", "2"], ["witness", "timestamp"]]],
  "ledger.list-bucket": [() => [7, "", 100], ({ account }) => [7, account, 1]],
  "ledger.list-kept-maps": [() => [1, "0", 5]],
  "ledger.list-log-entries": [() => [1, "1", 2]],
  "ledger.list-log-tile-roots": [() => [1, 0, "0", 2]],
  "ledger.list-maps": [() => [1, "0", "3", 5]],
  "ledger.list-tree-heads": [() => ["", 100], ({ account }) => [account, 1]],
  "ledger.thin-account-heads": [
    ({ accounts }) => [accounts, 1, "0", "3"],
    // The newest of the range stays.
    ({ accounts }) => [accounts, 1, "0", "2"],
  ],
  "ledger.serve-epoch": [
    {
      before: () => "UPDATE ledger.epochs SET quorum_at = NULL WHERE epoch = 2",
      params: () => [1, "2"],
    },
    {
      before: () =>
        `UPDATE ledger.epochs SET quorum_at = NULL WHERE epoch = 2;
UPDATE ledger.logs SET missing = 'missing' WHERE log = 1`,
      params: () => [1, "2"],
    },
    () => [1, "1"],
  ],
  "ledger.record-missing": [() => [1, "missing", "9"], () => [2, "another", "8"]],
  "ledger.propose": [
    () => [1, "3", "entry", HASH, PROPOSAL, 1],
    {
      before: () => "UPDATE ledger.logs SET missing = 'missing' WHERE log = 1",
      params: () => [1, "3", "entry", HASH, PROPOSAL, 1],
    },
    // It has a proposal.
    () => [2, "3", "entry", HASH, PROPOSAL, 1],
  ],
};

/** Only on one PostgreSQL. */
export const LOG_TOGETHER: Cases = {
  "ledger.create-account-heads": [
    ({ accounts }) => [accounts, 1, "5", accounts.map(() => "9"), accounts.map(() => HASH)],
  ],
  "ledger.get-account-heads": [({ accounts }) => [accounts, 1, "2"]],
};
