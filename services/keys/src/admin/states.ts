// What the admin API says of accounts beside what keys has itself: how much is in them, and what lags. Called
// by state-routes.ts. A service that does not answer is named, and what it would say is null.

import { formatMicros } from "@annals/contract";
import type { ExportState } from "@annals/proto/exports";
import type { LedgerState } from "@annals/proto/ledger";
import type { ReceiverState } from "@annals/proto/webhooks";
import type { StateReporters } from "../outbound/state-reporters.ts";

/** A page must not wait for a service that hangs. */
const TIMEOUT_MS = 3_000;
/** What has waited for less is on its way. */
const LAG_AFTER_MICROS = 5 * 60 * 1_000_000;

export const REPORTING = ["ledger", "export", "webhook-dispatcher"] as const;

export interface Lag {
  readonly account_id: string;
  readonly what: "verification" | "erasure" | "export" | "webhook" | "sink";
  /** UTC with six fraction digits. */
  readonly since: string;
}

export interface Reports {
  readonly ledger: readonly LedgerState[] | undefined;
  readonly exports: readonly ExportState[] | undefined;
  readonly webhooks: readonly ReceiverState[] | undefined;
}

/** Of up to 100 accounts; of none, of those that have waited longest. */
export async function readReports(
  { exports, ledger, webhooks }: StateReporters,
  accountIds: readonly string[],
): Promise<Reports> {
  const asked = { accountIds: [...accountIds] };
  const options = { timeoutMs: TIMEOUT_MS };
  const [ofLedger, ofExports, ofWebhooks] = await Promise.allSettled([
    ledger.reportState(asked, options),
    exports.reportState(asked, options),
    webhooks.reportState(asked, options),
  ]);
  return {
    ledger: ofLedger.status === "fulfilled" ? ofLedger.value.states : undefined,
    exports: ofExports.status === "fulfilled" ? ofExports.value.states : undefined,
    webhooks: ofWebhooks.status === "fulfilled" ? ofWebhooks.value.states : undefined,
  };
}

/** The services that have not answered. */
export function silentOf({ exports, ledger, webhooks }: Reports): string[] {
  const answers = [ledger, exports, webhooks];
  return REPORTING.filter((_, index) => answers[index] === undefined);
}

/** What has waited for more than five minutes, the longest first. */
export function lagsOf({ exports = [], ledger = [], webhooks = [] }: Reports, nowMicros: number) {
  const before = formatMicros(nowMicros - LAG_AFTER_MICROS);
  const lag = ({ accountId }: { readonly accountId: string }, what: Lag["what"], since: string) =>
    since !== "" && since < before ? [{ account_id: accountId, what, since }] : [];
  const lags: Lag[] = [
    ...ledger.flatMap((one) => [
      ...lag(one, "verification", one.verificationDueAt),
      ...lag(one, "erasure", one.erasureDueAt),
    ]),
    ...exports.flatMap((one) => lag(one, "export", one.oldestCreatedAt)),
    ...webhooks.flatMap((one) => [
      ...lag(one, "webhook", one.webhookFailingSince),
      ...lag(one, "sink", one.sinkFailingSince),
    ]),
  ];
  return lags.toSorted((a, b) => (a.since < b.since ? -1 : 1));
}

/** The state of an account; null where its service has not answered. */
export function stateJson(accountId: string, { exports, ledger, webhooks }: Reports) {
  const chain = ledger?.find((one) => one.accountId === accountId);
  const jobs = exports?.find((one) => one.accountId === accountId);
  const receivers = webhooks?.find((one) => one.accountId === accountId);
  return {
    events: ledger ? Number(chain?.events ?? 0) : null,
    newest_event_at: chain?.newestEventAt || null,
    verified_events: ledger ? Number(chain?.verifiedEvents ?? 0) : null,
    verified_at: chain?.verifiedAt || null,
    open_erasures: ledger ? (chain?.openErasures ?? 0) : null,
    open_exports: exports ? (jobs?.openExports ?? 0) : null,
    webhooks: webhooks ? (receivers?.webhooks ?? 0) : null,
    failing_webhooks: webhooks ? (receivers?.failingWebhooks ?? 0) : null,
    sinks: webhooks ? (receivers?.sinks ?? 0) : null,
    failing_sinks: webhooks ? (receivers?.failingSinks ?? 0) : null,
  };
}
