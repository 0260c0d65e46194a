// The dearest request of each route that is known, with the most CPU that it may cost, for the test of what
// requests cost. test/tidy/request-costs.test.ts compares them with the routes of v1.ts, and the RPCs that
// workers call for a client with the cases that make them: each must be here. No case runs on import.

import { CHANGE_CASES } from "./request-cases-change.ts";
import { INTAKE_CASES } from "./request-cases-intake.ts";
import { LOG_CASES, READ_CASES } from "./request-cases-read.ts";
import { SEARCH_CASES } from "./request-cases-search.ts";
import { WORK_CASES } from "./request-cases-work.ts";
import type { CostCase } from "./request-world.ts";

/** No request of a widget token, which any visitor may hold, costs more. */
export const MAX_WIDGET_MS = 50;

export const isWidget = ({ route }: CostCase): boolean => route.startsWith("GET /widget/");

/** Heads need epochs, so the log comes last. */
export const COST_CASES: readonly CostCase[] = [
  ...READ_CASES,
  ...CHANGE_CASES,
  ...INTAKE_CASES,
  ...SEARCH_CASES,
  ...WORK_CASES,
  ...LOG_CASES,
];

/**
 * What makes the RPCs that a service calls as itself: the cases of a request, by what they measure, or why no
 * request makes it: what then bounds a call.
 */
export const RPC_WORK: Readonly<Record<string, readonly string[] | string>> = {
  "keys.admitRequests": ["one event", "list of API keys"],
  "keys.getSignedHead": "the epoch closer, once an epoch",
  "keys.signEpoch": "the epoch closer, once an epoch",
  "keys.signCheckpoint": ["checkpoint of the account"],
  "keys.listRetentions": "the daily pass of retention: pages of accounts",
  "keys.listProviders": "the dashboard's page before a login: the operator's file, no row",
  "keys.beginLogin": "a login: no row",
  "keys.finishLogin": "a login: a person and a session",
  "keys.getSession": "the dashboard, when it opens: a session, its person and 100 accounts",
  "keys.createAccessToken": "the dashboard, every ten minutes: a session, its person and a slot",
  "keys.endSession": "a logout: a session and what it has made",
  "keys.endProviderSessions": "a logout at the provider: sessions of one person",
  "keys.registerWorkloadToken":
    "a token of a workload, every ten minutes: the account's 200 workloads and 10,000 rows of tokens",
  "ledger.streamEvents": ["export, jsonl", "export, csv", "replay of a sink"],
  "ledger.readEvents": ["replay of 1,000 events to a webhook"],
  "ledger.measureEvents": ["replay of 1,000 events to a webhook"],
  "ledger.getPositions": ["replay of a sink", "replay of 1,000 events to a webhook"],
  "ledger.listAccounts": "the recovery of the fan-out: pages of accounts",
  "ledger.listOutbox": "the fan-out of what the ledger itself announces: pages of entries",
  "ledger.recordAuditEvents": ["a key that is created", "export, jsonl"],
  "ledger.listEvents": ["export, jsonl"],
  "ledger.getLog": ["export, evidence"],
  "ledger.readCheckpoint": ["export, evidence"],
  "ledger.readTile": ["export, evidence"],
  "ledger.listHeads": ["export, evidence"],
  "ledger.getCheckpointPositions":
    "the fan-out of checkpoints, once an epoch: pages of 1,000 accounts",
  "ledger.listCheckpoints": "the fan-out of checkpoints, once an epoch: pages of accounts",
  "ledger.readHeadLog": [
    "public checkpoint of the head log",
    "public partial tile of the head log",
  ],
  "ledger.listAnchorWork": "witnesses, time stamps and the bucket of the log, once an epoch",
  "ledger.addAnchor": "witnesses, time stamps and the bucket of the log, once an epoch",
  "ledger.listOpenErasures": "polls of the services with copies: pages of accounts",
  "ledger.confirmErasure": "once for each erasure and service with copies",
  "ledger.reportErasureMatches": "erasures of archived events: pages of 1,000 numbers",
  "ledger.listLifecycles": "the writer of archives: pages of accounts",
  "ledger.confirmArchive": "the writer of archives, once a month and account",
  "ledger.reportState": "the console of operators: 100 accounts, or the 20 that wait longest",
  "export.reportState": "the console of operators: 100 accounts, or the 10 that wait longest",
  "webhook-dispatcher.reportState":
    "the console of operators: 100 accounts, or the 20 that fail for longest",
  "export.getOutboxPositions": "the recovery of the fan-out: pages of accounts",
  "export.listOutbox": ["export, jsonl"],
};
