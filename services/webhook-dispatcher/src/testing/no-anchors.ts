// Deps of the worker of the anchors that has none, for tests to add theirs to. Imported by tests only.

import { createLog } from "@annals/chassis";
import { systemClock } from "@annals/contract";
import { randomBytes } from "node:crypto";
import type { AnchorLedger, AnchorsDeps } from "../anchors/worker/anchor-deps.ts";

export const HOUR_S = 3_600;

export const NO_ANCHORS: Omit<AnchorsDeps, "database" | "ledger" | "metrics"> = {
  bucket: undefined,
  databaseMicros: () => systemClock().nowMicros(),
  extraAuthorities: undefined,
  log: createLog({ service: "test", level: "error" }, { write: () => {} }),
  logAnchorIntervalS: HOUR_S,
  logTsaUrl: undefined,
  random: randomBytes,
  witnesses: () => [],
  witnessIntervalS: HOUR_S,
};

/** The log is read for a bucket alone. */
export const readHeadLog: AnchorLedger["readHeadLog"] = () =>
  Promise.reject(new Error("no test reads the log"));
