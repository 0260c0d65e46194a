// Cases of the statements of erasures. Called by all.ts. Each account has one that is due, era_1.

import { type Cases, LATER } from "./case.ts";

const DIGEST = Buffer.alloc(48, 1);
const RUNNING = ({ account }: { readonly account: string }) =>
  `UPDATE ledger.erasures SET status = 'running' WHERE account_id = '${account}'`;
const DONE = ({ account }: { readonly account: string }) =>
  `UPDATE ledger.erasures SET status = 'running', done_through = 4, done_at = now() - interval '1 hour'
   WHERE account_id = '${account}'`;
const UP_TO = ({ account }: { readonly account: string }) =>
  `UPDATE ledger.erasures SET status = 'running', done_through = up_to_sequence WHERE account_id = '${account}'`;
const EACH_DONE =
  "UPDATE ledger.erasures SET status = 'running', done_at = now() - interval '1 hour'";

const DELETED = ({ account }: { readonly account: string }) =>
  `UPDATE ledger.lifecycles SET deleted_through = 4 WHERE account_id = '${account}'`;

const UNVACUUMED =
  "UPDATE ledger.erasures SET done_at = now() - interval '1 hour', last_record = 6, last_xid = 9";

export const ERASURES: Cases = {
  "ledger.advance-erasure": [
    ({ account }) => [account, "era_1", "0", "4", "2", 1, 300, "6"],
    { before: RUNNING, params: ({ account }) => [account, "era_1", "0", "4", "2", 1, 300, "6"] },
    { before: RUNNING, params: ({ account }) => [account, "era_1", "1", "4", "2", 1, 300, "6"] },
  ],
  "ledger.advance-report": [
    ({ account }) => [account, "era_1", "4", "0", 2, 1, "6"],
    { before: DONE, params: ({ account }) => [account, "era_1", "4", "0", 2, 1, "6"] },
    { before: DONE, params: ({ account }) => [account, "era_1", "4", "1", 0, 1, "6"] },
  ],
  "ledger.cancel-erasure": [
    ({ account }) => [account, "era_1", DIGEST, LATER],
    ({ account }) => [account, "era_2", DIGEST, LATER],
    { before: RUNNING, params: ({ account }) => [account, "era_1", DIGEST, LATER] },
  ],
  "ledger.claim-erasure": [
    ({ account }) => [account, "era_1", 300, true, true],
    ({ account }) => [account, "era_2", 300, true, true],
    { before: DONE, params: ({ account }) => [account, "era_1", 300, true, true] },
  ],
  "ledger.complete-erasure": [
    ({ account }) => [account, "era_1", DIGEST, LATER],
    { before: RUNNING, params: ({ account }) => [account, "era_1", DIGEST, LATER] },
    { before: DONE, params: ({ account }) => [account, "era_1", DIGEST, LATER] },
  ],
  "ledger.count-open-erasures": [({ account }) => [account]],
  "ledger.create-erasure": [
    ({ account }) => [account, "era_2", '{"actor_id":"u"}', 17, "case 7", "{}", "6", 24, LATER],
  ],
  "ledger.erase": [({ account }) => [account, "6"]],
  "ledger.confirm-exports": [
    ({ account }) => [account, "era_1"],
    { before: DONE, params: ({ account }) => [account, "era_1"] },
  ],
  "ledger.confirm-webhooks": [
    ({ account }) => [account, "era_1"],
    { before: DONE, params: ({ account }) => [account, "era_1"] },
  ],
  "ledger.find-erasure-work": [
    () => ["", 100, true, true],
    ({ account }) => [account, 1, false, false],
  ],
  "ledger.finish-erasure": [
    ({ account }) => [account, "era_1"],
    { before: UP_TO, params: ({ account }) => [account, "era_1"] },
  ],
  "ledger.get-erasure": [({ account }) => [account, "era_1"], ({ account }) => [account, "era_2"]],
  "ledger.get-reported-erasure": [
    ({ account }) => [account, "era_1"],
    { before: DONE, params: ({ account }) => [account, "era_1"] },
  ],
  "ledger.list-deleted-matches": [
    ({ account }) => [account, [1, 2, 3, 4, 5, 6, 7]],
    { before: DELETED, params: ({ account }) => [account, [1, 2, 3, 4, 5, 6, 7]] },
  ],
  "ledger.list-erasable": [
    ({ account }) => [account, [1, 2, 3, 4, 5, 6, 7], 1, "user_1", "inv_1"],
    ({ account }) => [account, [2, 4], 17, "user_1", "inv_1"],
  ],
  "ledger.list-erasures": [({ account }) => [account, LATER, "era_1", 10]],
  "ledger.list-open-for-exports": [{ before: () => EACH_DONE, params: () => ["", "", 100] }],
  "ledger.list-open-for-webhooks": [
    { before: () => EACH_DONE, params: () => ["", "", 100, true] },
    { before: () => EACH_DONE, params: () => ["", "", 100, false] },
  ],
  "ledger.get-vacuum-times": [() => []],
  "ledger.list-unvacuumed": [{ before: () => UNVACUUMED, params: () => ["", "", 100] }],
  "ledger.measure-erasures": [() => [], { before: () => UNVACUUMED, params: () => [] }],
  "ledger.record-vacuum": [({ account }) => [account, "era_1"]],
  "ledger.list-recorded-accounts": [() => ["", 100], ({ account }) => [account, 1]],
  "ledger.release-erasure": [
    { before: RUNNING, params: ({ account }) => [account, "era_1", "0"] },
    { before: RUNNING, params: ({ account }) => [account, "era_1", "1"] },
  ],
};
