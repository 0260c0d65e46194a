// Keeps the pending deliveries of an account within their bounds: deliveries beyond them are not queued, but
// counted for the webhook's owner. Called by the fan-out, in its transaction. It must never drop without a
// record.

import type { Logger } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import type { Kind } from "../../webhooks/rules/kinds.ts";
import { limitBacklog } from "../rules/limit-backlog.ts";
import type { Entry } from "../rules/payload.ts";
import type { PlannedDelivery } from "../rules/plan-fan-out.ts";
import type { Metrics } from "../../metrics.ts";
import { countPending } from "../../store/count-pending.ts";
import { recordDrops } from "../store/record-drops.ts";

export interface BacklogDeps {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly maxPendingPerAccount: number;
  readonly maxPendingBytesPerAccount: number;
  /** See store/moment.ts. */
  readonly now: () => string;
}

export interface Page {
  readonly accountId: string;
  readonly kind: Kind;
  readonly entries: readonly Entry[];
  readonly subscriberIds: readonly string[];
  readonly planned: readonly PlannedDelivery[];
}

/** Events of a webhook that cannot be delivered any longer; both ends are included. */
interface LostEvents {
  readonly webhookId: string;
  readonly first: bigint;
  readonly last: bigint;
}

/** Share of both bounds below which an account's pending deliveries are not counted again for a moment. */
const UNCOUNTED_SHARE = 0.5;
const UNCOUNTED_MS = 1_000;
const MAX_ACCOUNTS = 10_000;

interface Counted {
  /** Deliveries that were pending when they were counted, and those that were queued here since. */
  pending: number;
  bytes: number;
  /** Time on the monotonic clock until which the count is used. */
  readonly until: number;
}

export class Backlog {
  readonly #deps: BacklogDeps;
  readonly #counted = new Map<string, Counted>();

  constructor(deps: BacklogDeps) {
    this.#deps = deps;
  }

  /** Resolves to the deliveries that may be queued, and records the others. */
  async limit(transaction: Database, page: Page): Promise<readonly PlannedDelivery[]> {
    const { maxPendingBytesPerAccount: maxPendingBytes, maxPendingPerAccount: maxPending } =
      this.#deps;
    const { accountId, entries, planned, subscriberIds } = page;
    if (planned.length === 0) return planned;
    const bytesOf = (ordinal: number) => entries[ordinal - 1]?.bytes ?? 0;
    const counted = this.#counted.get(accountId);
    if (counted && performance.now() < counted.until) {
      counted.pending += planned.length;
      counted.bytes += bytesIn(planned, bytesOf);
      const isFar = counted.pending < maxPending * UNCOUNTED_SHARE;
      if (isFar && counted.bytes < maxPendingBytes * UNCOUNTED_SHARE) return planned;
    }
    const pending = await transaction.run(countPending, [accountId]);
    const limit = { maxPending, maxPendingBytes, pending, webhookIds: subscriberIds, bytesOf };
    const { kept, dropped } = limitBacklog(planned, limit);
    this.#remember(accountId, {
      pending: pending.reduce((sum, row) => sum + row.pending, 0) + kept.length,
      bytes: pending.reduce((sum, row) => sum + row.bytes, 0) + bytesIn(kept, bytesOf),
      until: performance.now() + UNCOUNTED_MS,
    });
    if (dropped.length > 0) await this.#record(transaction, page, dropped);
    return kept;
  }

  /** Records events that retention deleted before their deliveries were queued. */
  async recordDeleted(
    transaction: Database,
    accountId: string,
    lost: readonly LostEvents[],
  ): Promise<void> {
    if (lost.length === 0) return;
    const { log, metrics, now } = this.#deps;
    const counts = lost.map(({ first, last }) => Number(last - first) + 1);
    const ids = lost.map(({ webhookId }) => webhookId);
    const ends = [lost.map(({ first }) => first), lost.map(({ last }) => last)] as const;
    await transaction.run(recordDrops, [accountId, ids, counts, ...ends, now()]);
    const events = counts.reduce((sum, count) => sum + count, 0);
    metrics.dropped.inc({ kind: "events" }, events);
    log.warn(
      { account_id: accountId, webhooks: ids.length, deliveries: events },
      "retention has deleted events before their deliveries were queued: they are dropped and counted",
    );
  }

  #remember(accountId: string, counted: Counted): void {
    this.#counted.delete(accountId);
    const [oldest] = this.#counted.keys();
    if (oldest !== undefined && this.#counted.size >= MAX_ACCOUNTS) this.#counted.delete(oldest);
    this.#counted.set(accountId, counted);
  }

  async #record(
    transaction: Database,
    { accountId, entries, kind }: Page,
    dropped: readonly PlannedDelivery[],
  ): Promise<void> {
    const { log, metrics, now } = this.#deps;
    const ids = [...new Set(dropped.map(({ webhookId }) => webhookId))];
    const positions = ids.map((id) =>
      dropped
        .filter(({ webhookId }) => webhookId === id)
        .map(({ ordinal }) => entries[ordinal - 1]?.position ?? 0n),
    );
    const numbers = (at: 0 | -1) =>
      positions.map((all) => (kind === "events" ? (all.at(at) ?? null) : null));
    const counts = positions.map((all) => all.length);
    const params = [accountId, ids, counts, numbers(0), numbers(-1), now()] as const;
    const rows = await transaction.run(recordDrops, [...params]);
    metrics.dropped.inc({ kind }, dropped.length);
    for (const { webhook_id: webhookId, count } of rows) {
      if (Number(count) > (counts[ids.indexOf(webhookId)] ?? 0)) continue;
      log.warn(
        { account_id: accountId, webhook_id: webhookId },
        "too many pending deliveries: further ones are dropped and counted",
      );
    }
  }
}

function bytesIn(
  deliveries: readonly PlannedDelivery[],
  bytesOf: (ordinal: number) => number,
): number {
  return deliveries.reduce((sum, { ordinal }) => sum + bytesOf(ordinal), 0);
}
