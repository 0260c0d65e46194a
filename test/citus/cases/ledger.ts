// Cases of the statements of the ledger but those that append or search. Called by all.ts. The parameters
// have the order of the statement's declaration; see case.ts.

import type { Cases } from "./case.ts";

const CHUNK = 4096;
/** The fresh segments that the account lacks for a sealed one. */
const SIXTEEN = (account: string): string => `INSERT INTO ledger.segments
  SELECT '${account}', 0, base, '2020', '2021', '2020', '2021' FROM generate_series(${2 * CHUNK}, ${15 * CHUNK}, ${CHUNK}) AS base`;

/** A declared field of an account, of which the index has nothing yet. */
const FIELD = (account: string, field = 17, deletedAt = "NULL") =>
  `INSERT INTO ledger.fields VALUES
('${account}', ${field}, 'n${field}', '{context,n}', 'number', false, 4096, 4096, '2020-01-01', ${deletedAt})`;

export const LEDGER: Cases = {
  "ledger.check-block": [
    ({ account }) => [account, "1", "6"],
    ({ account }) => [account, "2", "4"],
    ({ account }) => [account, "3", "9"],
  ],
  // Its row stays as it is.
  "ledger.begin-lifecycle": [({ account }) => [account]],
  "ledger.claim-verification": [({ account }) => [account, 3_600]],
  "ledger.create-head": [({ account }) => [account]],
  "ledger.delete-expired-idempotency-keys": [
    ({ accounts }) => [accounts, 1, 24],
    ({ accounts }) => [accounts, 100, 24],
  ],
  "ledger.find-altered-tables": [() => []],
  "ledger.find-idempotency-keys": [({ account }) => [account, ["known", "old", "unknown"], 24]],
  "ledger.find-index-work": [() => ["", 100], ({ account }) => [account, 1]],
  "ledger.find-verification-work": [
    () => ["", 100],
    ({ account }) => [account, 1],
    {
      before: ({ account }) => `DELETE FROM ledger.heads WHERE account_id = '${account}'`,
      params: () => ["", 100],
    },
  ],
  "ledger.get-event": [({ account }) => [account, "3"], ({ account }) => [account, "7"]],
  "ledger.get-hash": [
    ({ account }) => [account, "3"],
    ({ account }) => [account, "7"],
    {
      // Retention has deleted the event: its tile has the hash.
      before: ({ account }) =>
        `DELETE FROM ledger.events WHERE account_id = '${account}' AND sequence_number = 3`,
      params: ({ account }) => [account, "3"],
    },
  ],
  "ledger.get-head-sequences": [({ accounts }) => [accounts]],
  "ledger.list-late-erasures": [() => [10]],
  "ledger.list-late-verifications": [() => [10]],
  "ledger.report-chains": [({ accounts }) => [accounts]],
  "ledger.report-erasures": [({ accounts }) => [accounts]],
  "ledger.list-accounts": [() => ["", 100], ({ account }) => [account, 2]],
  "ledger.get-usage": [({ account }) => [account]],
  "ledger.find-field-work": [
    () => ["", 100],
    {
      before: ({ account }) => `${FIELD(account)}; ${FIELD(account, 18, "'2020-01-02'")}`,
      params: () => ["", 100],
    },
  ],
  "ledger.forget-field": [
    ({ account }) => [account, 17],
    {
      before: ({ account }) => FIELD(account, 17, "'2020-01-02'"),
      params: ({ account }) => [account, 17],
    },
  ],
  "ledger.index-field": [
    ({ account }) => [account, 17],
    { before: ({ account }) => FIELD(account), params: ({ account }) => [account, 17] },
  ],
  "ledger.index-segment": [
    // Indexed already, too few events, and after a segment that is not indexed.
    ({ account }) => [account, CHUNK],
    ({ account }) => [account, 2 * CHUNK],
    ({ account }) => [account, 3 * CHUNK],
    {
      before: ({ account }) => `INSERT INTO ledger.events
        SELECT '${account}', n, 'evt_' || n, 'action_' || n % 3, to_char(n, 'FM00000'), '', '', decode(repeat('00', 160), 'hex'),
          decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex'), '{}', '{}', '{}', '{}', '{}',
          decode(repeat('00', 80), 'hex'), CASE WHEN n % 2 = 0 THEN 'user_' || n % 5 END, 'user', NULL, NULL, NULL
        FROM generate_series(${2 * CHUNK + 1}, ${3 * CHUNK}) AS n`,
      params: ({ account }) => [account, 2 * CHUNK],
    },
  ],
  "ledger.seal-segment": [
    // Too few, and all.
    ({ account }) => [account, 0],
    {
      before: ({ account }) => SIXTEEN(account),
      params: ({ account }) => [account, 0],
    },
  ],
  "ledger.unindex": [
    ({ account }) => [account],
    {
      before: ({ account }) =>
        `INSERT INTO ledger.unindexed VALUES ('${account}', 1, 2, 'user_1'), ('${account}', 2, 2, 'user_1'),
           ('${account}', 4, 2, 'user_1'), ('${account}', 2, 1, 'nothing')`,
      params: ({ account }) => [account],
    },
  ],
  "ledger.get-records-from": [({ account }) => [account]],
  "ledger.list-erased": [
    {
      before: ({ account }) =>
        `UPDATE ledger.events SET erased = 8 WHERE account_id = '${account}' AND sequence_number = 3`,
      params: ({ account }) => [account, "1", "6"],
    },
  ],
  "ledger.list-expired-idempotency-keys": [() => [100, 24], () => [3, 24]],
  "ledger.list-heads": [() => ["", 100], ({ account }) => [account, 1]],
  "ledger.list-servers": [() => []],
  "ledger.lock-head": [({ account }) => [account]],
  "ledger.lock-head-for-record": [({ account }) => [account]],
  "ledger.read-ends": [({ account }) => [account]],
  "ledger.record-verification": [({ account }) => [account, "6", "ff", "2", true, 3_600]],
};
