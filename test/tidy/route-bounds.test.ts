// Guarantee: every route of v1.ts says what it takes of its account and bounds its rows, bytes and time.
// If another service bounds the rows, its number is the same.

import { V1 } from "@annals/gateway/src/v1.ts";
import { expect, test } from "vitest";
import { textOf } from "../../deploy/generate/sources.ts";

/** What the ledger reads to find a page. */
const BUDGETS = [
  ["list-events", /\brows: ([\d_]+)/g],
  ["list-widget-events", /\brows: ([\d_]+)/g],
  ["list-widget-filters", /^const (?:MAX_EVENTS|BUDGET_ROWS) = ([\d_]+)/gm],
] as const;

/** What bounds.ts repeats of the services that count it. */
const PLAN = "services/keys/src/accounts/rules/plan.ts";
const DISPATCHER = "services/webhook-dispatcher/src";
const REPEATED = [
  ["KEYS_ROWS", PLAN, /maxKeys: ([\d_]+)/],
  ["WEBHOOKS_ROWS", PLAN, /maxWebhooks: ([\d_]+)/],
  ["WEBHOOKS_ROWS", `${DISPATCHER}/webhooks/rpc/create-webhook.ts`, /MAX_WEBHOOKS = ([\d_]+)/],
  ["SINKS_ROWS", PLAN, /maxSinks: ([\d_]+)/],
  ["SINKS_ROWS", `${DISPATCHER}/sinks/rpc/create-sink.ts`, /MAX_SINKS = ([\d_]+)/],
  ["SEARCH_FIELDS_ROWS", "services/ledger/src/search/rules/search-field.ts", /MAX_KEPT = ([\d_]+)/],
  [
    "SAVED_SEARCHES_ROWS",
    "services/ledger/src/search/rules/saved-search.ts",
    /MAX_SEARCHES = ([\d_]+)/,
  ],
  ["WIDGET_TOKENS_ROWS", PLAN, /maxWidgetTokens: ([\d_]+)/],
  ["ERASURE_ROWS", "services/ledger/src/search/find-selected.ts", /COUNTED_ROWS = ([\d_]+)/],
  ["HOLDS_ROWS", "services/ledger/src/holds/rules/new-hold.ts", /MAX_PLACED = ([\d_]+)/],
  ["KEPT_KEYS_ROWS", "libs/postgres/src/idempotent-requests.ts", /MAX_KEPT_KEYS = ([\d_]+)/],
  [
    "EXPORTS_ROWS",
    "services/export/src/config.ts",
    fallbackOf("ANNALS_EXPORT_MAX_KEPT_PER_ACCOUNT"),
  ],
  ["PENDING_ROWS", `${DISPATCHER}/config.ts`, fallbackOf("ANNALS_WEBHOOK_MAX_PENDING_PER_ACCOUNT")],
  ["REPLAY_ROWS", `${DISPATCHER}/deliveries/rpc/replay-events.ts`, /MAX_EVENTS = ([\d_]+)n/],
] as const;

function fallbackOf(setting: string): RegExp {
  return new RegExp(`"${setting}",[^;]*?fallback: "(\\d+)"`);
}

const numberOf = (text: string | undefined): number => Number(text?.replaceAll("_", ""));

test.each(V1)("%s %s (%s) %s", (_method, _path, _scope, _name, _make, bounds) => {
  expect(["slot", "lists", "verifications", "downloads"]).toContain(bounds?.resource);
  expect(["deadline", "verification", "transfer", "sink_test"]).toContain(bounds.time);
  const { bytes, rows } = bounds;
  expect(rows === "chain" || (Number.isFinite(rows) && rows > 0)).toBe(true);
  expect(bytes === "body" || (Number.isFinite(bytes) && bytes > 0)).toBe(true);
});

test.each(BUDGETS)("%s reads as many rows as its row of v1.ts says", (name, pattern) => {
  const text = textOf(`services/ledger/src/events/rpc/${name}.ts`);
  const budgets = [...text.matchAll(pattern)].map(([, rows]) => numberOf(rows));
  const [, , , , , bounds] = V1.find(([, , , one]) => one === name) ?? expect.fail(name);
  expect(budgets.length).toBeGreaterThan(0);
  expect(bounds.rows).toBe(budgets.reduce((sum, rows) => sum + rows, 0));
});

test.each(REPEATED)("%s is the number of %s", (name, file, pattern) => {
  const repeated = new RegExp(`^const ${name} = ([\\d_]+);`, "m");
  const [, here] = repeated.exec(textOf("services/gateway/src/bounds.ts")) ?? [];
  const [, there] = pattern.exec(textOf(file)) ?? [];
  expect(numberOf(there), file).toBeGreaterThan(0);
  expect(numberOf(here)).toBe(numberOf(there));
});
