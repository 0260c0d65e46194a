// The fan-out: turns outbox entries into deliveries. For each notice, and each find of the sweep, it stores
// one delivery for each entry and webhook that subscribes to it; a delivery of an event names its position.
// The cursor moves in the transaction that stores them, from the position that was read. So each delivery is
// created once, whatever arrives twice and however many replicas work at once.
//
// Entries are read before subscribers. So a webhook that is created meanwhile can only miss entries that were
// stored before it was created.
//
// It is not a loop of loop.ts: there is no delay between runs, several accounts are worked on at once, and no
// account twice at once. A failed page is retried at the end of the queue, with fewer entries; the sweep
// retries what is dropped.

import { CONSUMER, endWith, inTrace, remoteSpan, startShared } from "@annals/chassis";
import type { Clock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import { type Announcement, type Kind, patternsOf } from "../../webhooks/rules/kinds.ts";
import { FieldsNeeded } from "../rules/fields-needed.ts";
import { newDeliveries } from "../rules/new-deliveries.ts";
import { type Entry, isByReference } from "../rules/payload.ts";
import type { EventReader } from "../event-reader.ts";
import { checkPositions, lostEntries, planFanOut, subscriberOf } from "../rules/plan-fan-out.ts";
import { MAX_ENTRIES, type Producers } from "../../outbound/producers.ts";
import { createDeliveries } from "../store/create-deliveries.ts";
import { lockSubscribers } from "../store/lock-subscribers.ts";
import { moveCursor } from "../store/move-cursor.ts";
import { openQueues } from "../store/queues.ts";
import { readCursor } from "../store/read-cursor.ts";
import { Backlog, type BacklogDeps } from "./backlog.ts";
import type { DeliveryTraces } from "./delivery-traces.ts";
import { FieldReader, NO_FIELDS, type ReadFields } from "./field-reader.ts";
import { NegativeSubscriptionCache } from "./negative-subscription-cache.ts";
import { originOf, type OriginTrace } from "./origin-traces.ts";
import { QueueClosed } from "./queue-closed.ts";

export interface FanOutDeps extends BacklogDeps {
  readonly clock: Clock;
  readonly database: Pool;
  /** Receives the events that were read: most are sent within a moment. */
  readonly events: Pick<EventReader, "keep">;
  readonly producers: Pick<Producers, "entries" | "fieldValues" | "retainedFrom">;
  readonly random: (size: number) => Uint8Array;
  readonly traces: DeliveryTraces;
  /** Called when deliveries are stored. */
  readonly onDeliveries: (accountId: string, webhookIds: Iterable<string>) => void;
}

/** Maximum accounts and kinds that are worked on at once. */
const CONCURRENCY = 4;
/** Maximum deliveries that one transaction creates. A single entry may have more. */
const MAX_DELIVERIES = 1_000;
/** Maximum accounts and kinds that wait. The sweep finds what is dropped. */
const MAX_WAITING = 100_000;
/** Maximum traces of one account and kind. Entries beyond them have no trace. */
const MAX_TRACES = 16;

interface Task {
  readonly kind: Kind;
  readonly accountId: string;
  /** Position that the entries reach at least. */
  target: bigint;
  /** Maximum entries of a page: fewer after a failure, in case there were too many at once. */
  limit: number;
  traces: readonly OriginTrace[];
  /** Webhooks whose queue the next try opens. */
  closed?: readonly string[] | undefined;
}

export class FanOut {
  readonly #deps: FanOutDeps;
  readonly #backlog: Backlog;
  readonly #fields: FieldReader;
  readonly #withoutSubscribers: NegativeSubscriptionCache;
  readonly #waiting = new Map<string, Task>();
  readonly #underWay = new Map<string, Promise<void>>();
  #isStopping = false;

  constructor(deps: FanOutDeps) {
    this.#deps = deps;
    this.#backlog = new Backlog(deps);
    this.#fields = new FieldReader(deps.producers);
    this.#withoutSubscribers = new NegativeSubscriptionCache({
      ...deps,
      onSubscribed: (notice) => this.notify(notice),
    });
  }

  /** Queues the work of a notice. Returns at once and never throws. */
  notify(notice: Announcement): void {
    if (this.#withoutSubscribers.keeps(notice)) return;
    const { kind, accountId, position, traces: given = [] } = notice;
    const traces = given.map((trace) => ({ ...trace, span: remoteSpan(trace) }));
    const key = `${kind} ${accountId}`;
    const waiting = this.#waiting.get(key);
    if (waiting) {
      if (position > waiting.target) waiting.target = position;
      waiting.traces = [...waiting.traces, ...traces].slice(0, MAX_TRACES);
      return;
    }
    if (this.#isStopping || this.#waiting.size >= MAX_WAITING) return;
    this.#waiting.set(key, { kind, accountId, target: position, limit: MAX_ENTRIES, traces });
    this.#pump();
  }

  /** Called when a webhook of the account was created or changed: the account may have subscribers now. */
  expectSubscriber(accountId: string): void {
    this.#withoutSubscribers.forget(accountId);
  }

  /** Takes no more work, and resolves when nothing is in flight. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#waiting.clear();
    await this.#withoutSubscribers.stop();
    await this.settled();
  }

  /** Resolves when nothing waits and nothing is in flight. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.values());
  }

  #pump(): void {
    for (const [key, task] of this.#waiting) {
      if (this.#underWay.size >= CONCURRENCY) return;
      if (this.#underWay.has(key)) continue;
      this.#waiting.delete(key);
      const one = this.#run(key, task).finally(() => {
        this.#underWay.delete(key);
        this.#pump();
      });
      this.#underWay.set(key, one);
    }
  }

  /** Works on one page. What is left goes to the end of the queue, behind other accounts. Never rejects. */
  async #run(key: string, task: Task): Promise<void> {
    const { log, metrics } = this.#deps;
    try {
      const isDone = await this.#tracedPage(task);
      if (!isDone) this.#again(key, { ...task, closed: undefined });
    } catch (error) {
      // Calls end with the process, and the sweep finds what is left.
      if (this.#isStopping) return;
      if (error instanceof FieldsNeeded) return this.#again(key, task);
      const { accountId, closed: opened, kind, limit } = task;
      const closed = error instanceof QueueClosed ? error.webhookIds : undefined;
      if (!closed) {
        metrics.failures.inc({ worker: "fan_out" });
        log.warn({ err: error, account_id: accountId, kind }, "fan-out failed");
      }
      if (closed && !opened) this.#again(key, { ...task, closed });
      else if (limit > 1) this.#again(key, { ...task, closed, limit: Math.floor(limit / 10) || 1 });
    }
  }

  #again(key: string, task: Task): void {
    if (this.#isStopping) return;
    const newer = this.#waiting.get(key);
    if (newer && newer.target > task.target) task.target = newer.target;
    if (newer) task.traces = [...task.traces, ...newer.traces].slice(0, MAX_TRACES);
    this.#waiting.delete(key);
    this.#waiting.set(key, task);
  }

  /** Works on a page in the trace of its entries, and never in that of a request that caused it to begin. */
  #tracedPage(task: Task): Promise<boolean> {
    const subject = `annals.notices.${task.kind}`;
    const origins = task.traces.map(({ span }) => span);
    const span = startShared(`process ${subject}`, origins, {
      kind: CONSUMER,
      attributes: {
        "messaging.system": "nats",
        "messaging.operation.name": "process",
        "messaging.operation.type": "process",
        "messaging.destination.name": subject,
      },
    });
    return endWith(
      span,
      inTrace(span, () => this.#page(task)),
    );
  }

  /** Works on a page. Resolves to whether nothing is left up to the target. */
  async #page({ accountId, closed = [], kind, target, limit, traces }: Task): Promise<boolean> {
    const { database, producers } = this.#deps;
    const ofAccount = database.forAccount(accountId);
    const [cursor] = await ofAccount.run(readCursor, [accountId, kind, patternsOf(kind)]);
    if (!cursor || cursor.starts_after === null) {
      // The cursor is not moved: a later subscriber has its own position to start after.
      this.#withoutSubscribers.add(kind, accountId);
      return true;
    }
    const position = BigInt(cursor.position);
    if (target <= position) return true;
    // No webhook subscribes to entries below this position.
    const from = max(position, BigInt(cursor.starts_after));
    const maxEntries = Math.floor(MAX_DELIVERIES / cursor.subscribers);
    // The page ends with the traced entries: a later notice has the traces of those that follow.
    const traced = traces.length > 0 ? Number(target - from) : limit;
    const pageSize = Math.max(1, Math.min(limit, maxEntries, traced));
    const isRead = kind === "events" && from < target;
    const fields = isRead ? await this.#fields.read(accountId, from, pageSize) : NO_FIELDS;
    const size = fields.values.size || pageSize;
    const readAt = performance.now();
    const entries = from >= target ? [] : await producers.entries(kind, accountId, from, size);
    const isGap = kind === "events" && from < target && entries[0]?.position !== from + 1n;
    if (isGap && (await this.#skipDeleted(accountId, position, from))) return false;
    checkPositions(kind, entries, from);
    const drained = [...(cursor.drained_ids ?? []), ...closed];
    if (drained.length > 0 && entries.length > 0)
      await ofAccount.run(openQueues, [accountId, drained]);
    const to = entries.at(-1)?.position ?? from;
    if (to > position)
      await this.#store(accountId, kind, { position, to, entries, fields, readAt, traces });
    return to >= target || entries.length === 0;
  }

  /** Goes on behind events that retention has deleted, if it has, and records what was not queued. */
  async #skipDeleted(accountId: string, position: bigint, after: bigint): Promise<boolean> {
    const { database, producers } = this.#deps;
    const retainedFrom = await producers.retainedFrom(accountId, after + 1n);
    if (retainedFrom === undefined) return false;
    const [kind, to] = ["events" as const, retainedFrom - 1n];
    await database.forAccount(accountId).transaction(async (transaction) => {
      const [moved] = await transaction.run(moveCursor, [accountId, kind, position, to]);
      if (!moved) return;
      const params = [accountId, kind, patternsOf(kind), after] as const;
      const subscribers = (await transaction.run(lockSubscribers, [...params])).map(subscriberOf);
      const lost = lostEntries(subscribers, after, to);
      await this.#backlog.recordDeleted(transaction, accountId, lost);
    });
    return true;
  }

  async #store(
    accountId: string,
    kind: Kind,
    page: {
      readonly position: bigint;
      readonly to: bigint;
      readonly entries: readonly Entry[];
      readonly fields: ReadFields;
      readonly readAt: number;
      readonly traces: readonly OriginTrace[];
    },
  ): Promise<void> {
    const { clock, database, events, metrics, now, onDeliveries, random } = this.#deps;
    const { entries, fields, position, to } = page;
    const made = await database.forAccount(accountId).transaction(async (transaction) => {
      const [moved] = await transaction.run(moveCursor, [accountId, kind, position, to]);
      if (!moved || entries.length === 0) return [];
      const params = [accountId, kind, patternsOf(kind), position] as const;
      const rows = await transaction.run(lockSubscribers, [...params]);
      const subscribers = rows.map(subscriberOf);
      if (kind === "events") this.#fields.check(accountId, subscribers, fields);
      const selected = planFanOut(entries, subscribers, fields.values);
      const receiving = new Set(selected.map(({ webhookId }) => webhookId));
      const closed = rows.filter((row) => row.is_drained && receiving.has(row.id));
      if (closed.length > 0) throw new QueueClosed(closed.map(({ id }) => id));
      const planned = await this.#backlog.limit(transaction, {
        accountId,
        kind,
        entries,
        subscriberIds: subscribers.map(({ id }) => id),
        planned: selected,
      });
      if (planned.length > 0) {
        const timestamp = clock.nowText();
        const given = { accountId, now: now(), random, timestamp };
        const added = newDeliveries(entries, planned, given);
        await transaction.run(createDeliveries, [...added]);
        // This is done before the commit, because attempts can begin right after it.
        const origins = planned.map(({ ordinal }) => originOf(entries[ordinal - 1], page.traces));
        this.#deps.traces.keep(added[3], origins);
      }
      return planned;
    });
    if (made.length === 0) return;
    metrics.fannedOut.inc({ kind }, made.length);
    const referred = new Set(made.map(({ ordinal }) => entries[ordinal - 1]));
    for (const entry of referred) {
      if (entry?.data === undefined || !isByReference(entry)) continue;
      events.keep(accountId, [[entry.position, entry.data]], page.readAt);
    }
    onDeliveries(accountId, new Set(made.map(({ webhookId }) => webhookId)));
  }
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
