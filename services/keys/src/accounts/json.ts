// Accounts, keys and plans as an operator sees them in JSON: printed by the commands with `--json`, and
// returned by the admin API. The secret of a key is part of it only if the key was just made.

import { firstMomentOf } from "@annals/contract";
import type { NewApiKey } from "../api-keys/rules/new-api-key.ts";
import type { Plans } from "./rules/plan.ts";
import type { AccountRow } from "../store/account-row.ts";
import { allowedIpsOf, type ApiKeyRow } from "../store/api-key-row.ts";
import type { PlanNameRow } from "../store/list-plan-names.ts";

export function accountJson(row: AccountRow) {
  return {
    id: row.account_id,
    name: row.name,
    plan: row.plan,
    live_keys: Number(row.live_keys),
    created_at: row.created_at,
  };
}

/** A time, and a list, are null if there is no restriction; `last_used_at` is the day's first moment. */
export function keyJson(row: ApiKeyRow) {
  const { created_at, expires_at, id, key_prefix, last_used_on, name, scopes } = row;
  const allowed_ips = row.allowed_ips && allowedIpsOf(row);
  const last_used_at = last_used_on === null ? null : firstMomentOf(last_used_on);
  return { id, name, key_prefix, scopes, created_at, expires_at, allowed_ips, last_used_at };
}

export function newKeyJson(key: NewApiKey) {
  const { allowedIps, createdAt, expiresAt, id, keyPrefix, name, scopes, secret } = key;
  const restrictions = { expires_at: expiresAt, allowed_ips: allowedIps };
  const shown = { id, name, key: secret, key_prefix: keyPrefix, scopes, created_at: createdAt };
  return { ...shown, ...restrictions };
}

/**
 * Every plan, with the number of accounts that name it. Accounts without a plan have the default one. Without
 * `requests_per_minute` an account may make 60 times the requests of a key, and without
 * `intake_requests_per_minute` 60 times those of intake. Without `max_export_bytes` the setting of the export
 * service bounds its files.
 */
export function plansJson(plans: Plans, counts: readonly PlanNameRow[]) {
  return plans.names.map((name) => {
    const plan = plans.of(name);
    return {
      name,
      default: plan === plans.of(null),
      archive: plan.archive,
      archive_days: plan.archiveDays ?? null,
      features_left_out: plan.featuresLeftOut,
      intake_requests_per_minute: plan.intakeRequestsPerMinute ?? null,
      max_export_bytes: plan.maxExportBytes ?? null,
      events_exported_per_day: plan.eventsExportedPerDay,
      events_replayed_per_day: plan.eventsReplayedPerDay,
      max_keys: plan.maxKeys,
      max_search_fields: plan.maxSearchFields,
      max_sinks: plan.maxSinks,
      max_webhooks: plan.maxWebhooks,
      max_widget_tokens: plan.maxWidgetTokens,
      min_retention_days: plan.minRetentionDays,
      monthly_events: plan.monthlyEvents ?? null,
      requests_per_minute: plan.requestsPerMinute ?? null,
      retention_days: plan.retentionDays ?? null,
      accounts: Number(counts.find((row) => row.plan === name)?.accounts ?? "0"),
    };
  });
}
