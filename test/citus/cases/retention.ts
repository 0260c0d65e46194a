// Cases of the statements of retention. Called by all.ts.

import type { Cases } from "./case.ts";

/** Seconds since 1970, in the year 2099. */
const FUTURE_S = 4_100_000_000;

const DUE = ({ account }: { readonly account: string }) =>
  `UPDATE ledger.lifecycles SET checked_at = '2020-01-01' WHERE account_id = '${account}'`;
const LEASED = ({ account }: { readonly account: string }) =>
  `UPDATE ledger.lifecycles SET checked_at = '2020-01-01', leased_until = '2099-01-01' WHERE account_id = '${account}'`;

const EACH_ARCHIVED = "UPDATE ledger.lifecycles SET archive = true, archived_through = 1";
const ARCHIVED = ({ account }: { readonly account: string }) =>
  `${EACH_ARCHIVED} WHERE account_id = '${account}'`;

export const RETENTION: Cases = {
  "ledger.begin-retention": [({ account }) => [account, 86_400]],
  "ledger.claim-retention": [
    ({ account }) => [account, 86_400, 900],
    { before: DUE, params: ({ account }) => [account, 86_400, 900] },
    { before: LEASED, params: ({ account }) => [account, 86_400, 900] },
  ],
  "ledger.confirm-archived": [
    { before: ARCHIVED, params: ({ account }) => [account, "1", "2", 1, "9"] },
    { before: ARCHIVED, params: ({ account }) => [account, "2", "2", 1, "9"] },
    { before: ARCHIVED, params: ({ account }) => [account, "1", "900", 1, "9"] },
  ],
  "ledger.count-active-holds": [() => []],
  "ledger.expire": [({ account }) => [account]],
  "ledger.find-ending-event": [
    ({ account }) => [account, "1", "3"],
    ({ account }) => [account, "3", "3"],
  ],
  "ledger.find-retention-work": [() => ["", 100, 86_400]],
  "ledger.finish-retention": [{ before: LEASED, params: ({ account }) => [account] }],
  "ledger.get-created-at": [({ account }) => [account, "2"]],
  "ledger.get-first-hold": [({ account }) => [account]],
  "ledger.get-lifecycle": [({ account }) => [account]],
  "ledger.list-archived": [{ before: () => EACH_ARCHIVED, params: () => ["", 100] }],
  "ledger.lock-lifecycle": [({ account }) => [account]],
  "ledger.release-retention": [{ before: LEASED, params: ({ account }) => [account] }],
  "ledger.set-archives": [
    ({ account }) => [account, true, null],
    ({ account }) => [account, false, FUTURE_S],
  ],
  "ledger.set-cut": [({ account }) => [account, "6", "3"], ({ account }) => [account, "6", "0"]],
  "ledger.set-retention": [({ account }) => [account, 30, 60, FUTURE_S]],
};
