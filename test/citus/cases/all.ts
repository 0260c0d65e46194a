// The cases of all statements. Called by statements.test.ts and by the test of test/tidy, which refuses a
// statement without one.

import { APPEND } from "./append.ts";
import type { Cases } from "./case.ts";
import { COUNTS } from "./counts.ts";
import { DELIVERIES } from "./deliveries.ts";
import { ERASURES } from "./erasures.ts";
import { EXPORTS } from "./exports.ts";
import { HOLDS } from "./holds.ts";
import { LEDGER } from "./ledger.ts";
import { LOG, LOG_TOGETHER } from "./log.ts";
import { OUTBOXES } from "./outbox.ts";
import { RETENTION } from "./retention.ts";
import { SEARCH } from "./search.ts";
import { SINKS } from "./sinks.ts";
import { TREES } from "./trees.ts";
import { WEBHOOKS } from "./webhooks.ts";

export const CASES: Cases = {
  ...APPEND,
  ...COUNTS,
  ...DELIVERIES,
  ...ERASURES,
  ...EXPORTS,
  ...HOLDS,
  ...LEDGER,
  ...LOG,
  ...LOG_TOGETHER,
  ...OUTBOXES,
  ...RETENTION,
  ...SEARCH,
  ...SINKS,
  ...TREES,
  ...WEBHOOKS,
};

/** Statements that are not compared, and why. */
export const NOT_COMPARED: Readonly<Record<string, string>> = {
  "ledger.append-to-chains": "only where tables are not distributed: a refusal ends its use",
  "ledger.create-account-heads":
    "only where tables are not distributed: one account each elsewhere",
  "ledger.erase": "refuses all but a record that the chain has hashed, which the seeds lack",
  "ledger.expire": "refuses all but a record that the chain has hashed, which the seeds lack",
  "ledger.get-account-heads": "only where tables are not distributed: one account each elsewhere",
  "ledger.get-vacuum-times": "reads when a table was vacuumed, which no two servers do at one time",
  "ledger.list-servers": "reads the catalog of Citus, which one PostgreSQL does not have",
};
