// Cases of the statements of exports. Called by all.ts.

import { FILTER_JSON } from "../seeds/exports.ts";
import { type Case, type Cases, FUTURE, LATER, LONG_AGO } from "./case.ts";

/** That of the seeds. */
const OF_FILTER = Buffer.from("0a0161", "hex");
const IDS = ["exp_1", "exp_2", "exp_3", "exp_4", "exp_5", "exp_6", "exp_7", "exp_8", "exp_9"];

/** The same for an export in each state. */
const ofEach = (...more: readonly unknown[]): Case[] =>
  IDS.map((id) => ({ account }) => [account, id, ...more]);

/** The same for the holder of a lease, one that has lost it, and one of an export in another state. */
const byLease = (...more: readonly unknown[]): Case[] => [
  ({ account }) => [account, "exp_2", "3", ...more],
  ({ account }) => [account, "exp_3", "4", ...more],
  ({ account }) => [account, "exp_5", "2", ...more],
];

/** The same for the holder of a lease of an archive, and for one that has lost it. */
const byArchiveLease = (...more: readonly unknown[]): Case[] => [
  ({ account }) => [account, "4", "2", ...more],
  ({ account }) => [account, "4", "1", ...more],
];

export const EXPORTS: Cases = {
  "exports.return-daily-use": [
    ({ account }) => [account, "2020-01-31", "1"],
    ({ account }) => [account, "2020-02-01", "1"],
  ],
  "exports.clear-archive": byArchiveLease(),
  "exports.complete-archive": byArchiveLease(LATER, "9", "a", "3", "b", "5", "c", "7"),
  "exports.complete-job": byLease(LATER, "6", "ab", "4096", "file.jsonl"),
  "exports.count-jobs": [({ account }) => [account]],
  "exports.create-archive": [
    ({ account }) => [account, "9", "9", "arc_9", "2026-02", "9", "01", LATER],
    ({ account }) => [account, "4", "5", "arc_9", "2026-02", "9", "01", LATER],
  ],
  "exports.create-job": [
    ({ account }) => [
      account,
      "exp_9",
      "jsonl",
      true,
      FILTER_JSON,
      OF_FILTER,
      "6",
      "00",
      LATER,
      "key_2",
      "5000",
    ],
  ],
  "exports.delete-export": IDS.map((id) => ({ account }) => [account, id, FUTURE, "key_2"]),
  "exports.find-equal-job": [
    ({ account }) => [account, "jsonl", true, FILTER_JSON, "6", "00", OF_FILTER],
    ({ account }) => [account, "csv", true, FILTER_JSON, "6", "00", OF_FILTER],
    ({ account }) => [account, "jsonl", true, FILTER_JSON, "6", "01", OF_FILTER],
  ],
  "exports.find-any-archive": [({ account }) => [account]],
  "exports.free-bytes": byLease(),
  "exports.get-archive": [({ account }) => [account, "arc_1"], ({ account }) => [account, "arc_2"]],
  "exports.get-archive-at": [({ account }) => [account, "4"], ({ account }) => [account, "5"]],
  "exports.get-job": ofEach(),
  "exports.list-archives": [
    ({ account }) => [account, null, null, 10],
    ({ account }) => [account, LONG_AGO, "arc_1", 10],
  ],
  "exports.list-ending": [
    ({ account }) => [account, "2026-02", "3", "0", 100],
    ({ account }) => [account, "2026-02", "2", "0", 100],
    ({ account }) => [account, "", "9", "3", 1],
  ],
  "exports.list-unsettled": [
    ({ account }) => [account, "0", "0", 100],
    ({ account }) => [account, "9", "1", 1],
  ],
  "exports.list-with-events": [
    ({ account }) => [account, "0", "9", "0", 100],
    ({ account }) => [account, "3", "9", "0", 100],
    ({ account }) => [account, "0", "9", "7", 1],
  ],
  "exports.list-copies": [
    ({ account }) => [account, "4", "", 100],
    ({ account }) => [account, "7", "exp_2", 2],
  ],
  "exports.list-entries": [
    ({ account }) => [account, "0", 100],
    ({ account }) => [account, "1", 1],
  ],
  "exports.list-deleted-jobs": [() => ["", "", 100], ({ account }) => [account, "exp_6", 2]],
  "exports.list-expired-jobs": [
    () => [FUTURE, "", "", "", 100],
    ({ account }) => [LATER, LONG_AGO, account, "exp_4", 3],
  ],
  "exports.list-jobs": [
    ({ account }) => [account, LATER, "exp_2", 3],
    ({ account }) => [account, FUTURE, "exp_9", 100],
  ],
  "exports.list-waiting-accounts": [() => [100], () => [2]],
  "exports.lock-account": [({ account }) => [account]],
  "exports.mark-archive": [
    ...byArchiveLease("ended"),
    ({ account }) => [account, "1", "2", "ending"],
    ({ account }) => [account, "7", "2", "ended"],
    ({ account }) => [account, "8", "2", "completed"],
  ],
  "exports.list-late-exports": [() => [10]],
  "exports.report-exports": [({ accounts }) => [accounts]],
  "exports.measure-jobs": [() => []],
  "exports.replace-entry": [
    ({ account }) => [account, "3", "{}"],
    ({ account }) => [account, "99", "{}"],
  ],
  "exports.release-archive": byArchiveLease(10_000),
  "exports.remove-archive": byArchiveLease(),
  "exports.renew-archive": byArchiveLease(15_000),
  "exports.release-job": [
    ...byLease("pending", 7_200_000, true, true),
    ...byLease("failed", 0, true, true),
  ],
  "exports.remove-job": ofEach(),
  "exports.renew-lease": byLease(3_600_000),
  "exports.reserve-bytes": byLease("2048"),
  "exports.settle-archive": [
    ({ account }) => [account, "1", "9"],
    ({ account }) => [account, "4", "9"],
  ],
  "exports.sum-other-bytes": ofEach(),
  "exports.take-archive": [
    ({ account }) => [account, "1", "completed", 15_000],
    ({ account }) => [account, "4", "writing", 15_000],
    ({ account }) => [account, "6", "writing", 15_000],
  ],
  "exports.take-job": [({ account }) => [account, 3_600_000]],
};
