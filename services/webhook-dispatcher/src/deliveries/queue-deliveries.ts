// Queues deliveries of one webhook at a client's request, within the bound of its account. Called by the
// handlers of tests and replays. It must never queue only some of the entries that are selected.

import type { Clock } from "@annals/contract";
import { invalid, notFound, unavailable } from "@annals/errors";
import { type AuditEntryOf, type Database, parameterBytes, type Pool } from "@annals/postgres";
import { filterOf } from "../webhooks/rules/filter-history.ts";
import { FieldsNeeded } from "./rules/fields-needed.ts";
import { limitBacklog } from "./rules/limit-backlog.ts";
import { newDeliveries } from "./rules/new-deliveries.ts";
import {
  keyOf,
  placesOf,
  selectorOf,
  type WebhookFilter,
} from "../webhooks/rules/webhook-filter.ts";
import type { MeasuredEvent } from "../outbound/producers.ts";
import { AUDIT } from "../store/audit.ts";
import { countPending } from "../store/count-pending.ts";
import { createDeliveries } from "./store/create-deliveries.ts";
import { countReplayed } from "../store/daily-use.ts";
import { shareWebhook } from "../store/find-webhook.ts";
import { openQueues } from "./store/queues.ts";
import type { DeliveryTraces } from "./worker/delivery-traces.ts";

export interface QueueDeliveriesDeps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly random: (size: number) => Uint8Array;
  readonly traces: DeliveryTraces;
  /** See store/moment.ts. */
  readonly now: () => string;
  readonly maxPendingPerAccount: number;
  readonly maxPendingBytesPerAccount: number;
  /** Called when deliveries are stored. */
  readonly onDeliveries: (accountId: string, webhookIds: Iterable<string>) => void;
}

/** Seconds after which a client may retry: some of the queue is sent by then. */
const RETRY_AFTER_S = 60;

export interface Queued {
  readonly accountId: string;
  readonly webhookId: string;
  readonly entries: readonly MeasuredEvent[];
  /** Whether the filter of the webhook selects from the entries, by their values. */
  readonly isFiltered?: boolean;
  /** Audit entry that is stored with the deliveries. */
  readonly audit: AuditEntryOf<"webhook-dispatcher">;
  /** Aborted when the caller no longer waits for the response. */
  readonly signal: AbortSignal;
  /** Set for a replay, which counts its events: how many the account may replay in a day. */
  readonly replayLimit?: bigint;
  /** Whether the webhook must have taken a delivery, so that hosts that take none cannot be flooded. */
  readonly needsSuccess?: boolean;
}

/**
 * Resolves to the ids of the deliveries, in the order of the entries. Throws {@link FieldsNeeded} if the
 * filter reads fields that the entries do not have.
 */
export async function queueDeliveries(
  deps: QueueDeliveriesDeps,
  { accountId, audit, entries, needsSuccess = false, signal, webhookId, ...queued }: Queued,
): Promise<readonly string[]> {
  const { clock, random } = deps;
  const { isFiltered, replayLimit } = queued;
  const given = { accountId, now: deps.now(), random, timestamp: clock.nowText() };
  const all = rowsOf(entries, webhookId, given);
  let ids: readonly string[] = [];
  const database = deps.database.forAccount(accountId, signal);
  const store = async (transaction: Database): Promise<boolean> => {
    // The lock is shared, as in the fan-out: disabling waits, and then sees these deliveries.
    const [webhook] = await transaction.run(shareWebhook, [accountId, webhookId]);
    if (!webhook) throw notFound("webhook", webhookId);
    if (!webhook.active) {
      throw invalid({ field: "active", message: "must be true: the webhook is disabled" });
    }
    if (needsSuccess && !webhook.has_succeeded) throw untried(webhookId);
    if (webhook.is_drained) return false;
    const filter = isFiltered ? filterOf(webhook) : null;
    if (filter) requireFields(filter, entries);
    const isSelected = filter && selectorOf(filter);
    const selected = isSelected && entries.filter(({ values = {} }) => isSelected(values));
    const { entries: own, params, planned } = selected ? rowsOf(selected, webhookId, given) : all;
    const { dropped } = limitBacklog(planned, {
      maxPending: deps.maxPendingPerAccount,
      maxPendingBytes: deps.maxPendingBytesPerAccount,
      pending: await transaction.run(countPending, [accountId]),
      webhookIds: [webhookId],
      bytesOf: (ordinal) => own[ordinal - 1]?.bytes ?? 0,
    });
    if (dropped.length > 0) {
      throw unavailable("The account has too many pending deliveries.", undefined, RETRY_AFTER_S);
    }
    if (replayLimit !== undefined)
      await countReplayed(transaction, accountId, entries.length, replayLimit);
    await transaction.run(createDeliveries, [...params]);
    deps.traces.keep(params[3]);
    await AUDIT.add(transaction, audit);
    ids = params[2];
    return true;
  };
  // It repeats only if a clean-up has closed the queue since it was opened, which happens rarely.
  while (!(await database.transaction(store, () => parameterBytes(all.params)))) {
    await database.run(openQueues, [accountId, [webhookId]]);
  }
  deps.onDeliveries(accountId, [webhookId]);
  return ids;
}

/** Throws {@link FieldsNeeded} if the filter reads fields that were not asked for. */
function requireFields(filter: WebhookFilter, entries: readonly MeasuredEvent[]): void {
  const fields = placesOf([filter]);
  const keys = fields.map(keyOf);
  if (entries.every(({ values }) => keys.every((key) => values?.fields?.has(key) === true))) return;
  throw new FieldsNeeded(fields);
}

/** The deliveries of some entries, as the statement takes them. */
function rowsOf(
  entries: readonly MeasuredEvent[],
  webhookId: string,
  given: Parameters<typeof newDeliveries>[2],
) {
  const planned = entries.map((_, index) => ({ webhookId, ordinal: index + 1 }));
  return { entries, planned, params: newDeliveries(entries, planned, given) };
}

function untried(webhookId: string) {
  const message =
    "must have accepted a delivery since its URL was set: " +
    `send a test delivery first (POST /v1/webhooks/${webhookId}/test)`;
  return invalid({ field: "id", message });
}
