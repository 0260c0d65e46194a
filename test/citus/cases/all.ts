// The cases of all statements. Called by statements.test.ts and by the test of test/tidy, which refuses a
// statement without one.

import { APPEND } from "./append.ts";
import type { Cases } from "./case.ts";
import { DELIVERIES } from "./deliveries.ts";
import { EXPORTS } from "./exports.ts";
import { LEDGER } from "./ledger.ts";
import { LOG, LOG_TOGETHER } from "./log.ts";
import { OUTBOXES } from "./outbox.ts";
import { SEARCH } from "./search.ts";
import { TREES } from "./trees.ts";
import { WEBHOOKS } from "./webhooks.ts";

export const CASES: Cases = {
  ...APPEND,
  ...DELIVERIES,
  ...EXPORTS,
  ...LEDGER,
  ...LOG,
  ...LOG_TOGETHER,
  ...OUTBOXES,
  ...SEARCH,
  ...TREES,
  ...WEBHOOKS,
};

/** Statements that are not compared, and why. */
export const NOT_COMPARED: Readonly<Record<string, string>> = {
  "ledger.append-to-chains": "only where tables are not distributed: a refusal ends its use",
  "ledger.create-account-heads":
    "only where tables are not distributed: one account each elsewhere",
  "ledger.get-account-heads": "only where tables are not distributed: one account each elsewhere",
  "ledger.list-servers": "reads the catalog of Citus, which one PostgreSQL does not have",
};
