// Audit entries that wait to be handed over, and windows with counts. Called by the seeds of the schemas that
// have them.

import { FUTURE, LONG_AGO } from "../cases/case.ts";
import type { Seeds } from "./seeds.ts";

const ENTRIES = 3;

/** The number of an entry. Numbers of all accounts alternate. */
export const entryNumber = (accounts: number, index: number, place: number): number =>
  place * accounts + index + 1;

/** Requests with idempotency keys, of the schemas whose services keep them. */
export const requestSeeds = (accounts: readonly string[]): Seeds => ({
  idempotent_requests: accounts.flatMap((account_id, index) =>
    [
      ["known", FUTURE],
      ["old", `2020-02-01T00:00:0${index}Z`],
      ["older", `2020-01-01T00:00:0${index}Z`],
    ].map(([idempotency_key, created_at]) => ({
      account_id,
      operation: "make",
      idempotency_key,
      request_sha256: `\\x${"07".repeat(32)}`,
      response: "\\x01",
      created_at,
    })),
  ),
});

export const auditSeeds = (accounts: readonly string[]): Seeds => ({
  audit_outbox: accounts.flatMap((account_id, index) =>
    Array.from({ length: ENTRIES }, (_, place) => ({
      account_id,
      number: entryNumber(accounts.length, index, place),
      id: `00000000-0000-4000-8000-00000000000${place}`,
      event: `{"n":${place}}`,
      created_at: LONG_AGO,
    })),
  ),
  daily_uses: accounts.map((account_id, index) => ({ account_id, day: "2020-01-31", used: index })),
  audit_windows: accounts.flatMap((account_id, index) =>
    [
      [LONG_AGO, "a", 3],
      [LONG_AGO, "b", 25 + index],
      [FUTURE, "a", 1],
    ].map(([time, action, changes]) => ({
      account_id,
      minute: String(time).slice(0, "2020-01-31T09:30".length),
      action,
      changes,
    })),
  ),
});
