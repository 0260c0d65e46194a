// Cases of the statements that schemas share: those of an outbox, of audit entries, of daily uses, and of
// requests with idempotency keys. Called by all.ts.

import { type Cases, FUTURE, LATER, LONG_AGO } from "./case.ts";

const minuteOf = (time: string): string => time.slice(0, "2020-01-31T09:30".length);

const outboxCases = (schema: string): Cases => ({
  [`${schema}.add-to-outbox`]: [({ account }) => [account, "7", "any", "{}", LATER]],
  [`${schema}.find-expired-outbox`]: [() => ["", 30], ({ account }) => [account, 30]],
  [`${schema}.get-outbox-positions`]: [({ accounts }) => [accounts]],
  [`${schema}.list-outbox`]: [({ account }) => [account, 0n, 3], ({ account }) => [account, 4n, 9]],
  [`${schema}.move-outbox-head`]: [({ account }) => [account]],
  [`${schema}.prune-outbox`]: [
    ({ account }) => [account, 4n, 7],
    ({ account }) => [account, 9n, 30],
    ({ account }) => [account, 2n, 30],
  ],
});

const auditCases = (schema: string): Cases => ({
  [`${schema}.add-audit-entry`]: [({ account }) => [account, '{"n":9}']],
  [`${schema}.count-audit-entry`]: [
    ({ account }) => [account, minuteOf(LONG_AGO), "a"],
    ({ account }) => [account, minuteOf(LATER), "a"],
  ],
  [`${schema}.list-audit-entries`]: [() => ["0", 100], () => ["5", 3]],
  [`${schema}.list-audit-entries-of-account`]: [
    ({ account }) => [account, "0", 100],
    ({ account }) => [account, "4", 1],
  ],
  [`${schema}.list-audit-windows`]: [
    () => [minuteOf(LATER), 100],
    () => [minuteOf(LATER), 2],
    () => ["9999", 5],
  ],
  // An entry of the account, and a number of another.
  [`${schema}.remove-audit-entries`]: [
    ({ account, entry }) => [
      [account, account],
      [entry(0), entry(2)],
    ],
    ({ account }) => [[account], ["77"]],
  ],
  [`${schema}.take-audit-window`]: [
    ({ account }) => [account, minuteOf(LONG_AGO)],
    ({ account }) => [account, minuteOf(FUTURE)],
  ],
});

const dailyCases = (schema: string): Cases => ({
  // The day of the seeds is over, and its limit with it.
  [`${schema}.count-daily-use`]: [
    ({ account }) => [account, "5", "10"],
    ({ account }) => [account, "5", "0"],
  ],
  [`${schema}.get-daily-use`]: [({ account }) => [account]],
});

const BYTES = Buffer.alloc(32, 7);

const requestCases = (schema: string): Cases => ({
  [`${schema}.find-idempotent-request`]: [
    ({ account }) => [account, "make", "known", 24],
    ({ account }) => [account, "make", "old", 24],
    ({ account }) => [account, "other", "known", 24],
  ],
  [`${schema}.count-idempotent-requests`]: [({ account }) => [account, "make", 24]],
  [`${schema}.keep-idempotent-request`]: [
    ({ account }) => [account, "make", "new", BYTES, BYTES],
    ({ account }) => [account, "make", "old", BYTES, BYTES],
  ],
  [`${schema}.list-expired-idempotent-requests`]: [() => [100, 24], () => [3, 24]],
  [`${schema}.delete-expired-idempotent-requests`]: [
    ({ account }) => [account, 1, 24],
    ({ account }) => [account, 100, 24],
  ],
});

export const OUTBOXES: Cases = {
  ...requestCases("ledger"),
  ...requestCases("webhooks"),
  ...dailyCases("exports"),
  ...dailyCases("ledger"),
  ...dailyCases("webhooks"),
  ...outboxCases("ledger"),
  ...outboxCases("exports"),
  ...auditCases("exports"),
  ...auditCases("ledger"),
  ...auditCases("webhooks"),
};
