// Turns what happened into deliveries: from a notice or a find of the sweep, one frozen delivery
// for each entry and webhook that asks for it. The cursor moves in the transaction that stores
// them, from the very position that was read: whatever comes twice, and however many replicas look,
// each is made once.
//
// What there is is read before who wants it. So a webhook made meanwhile may miss only what was
// stored before it was made.

import type { Logger } from "@annals/chassis";
import { type Clock, newId } from "@annals/contract";
import type { Notice, NoticeKind } from "@annals/messaging";
import type { Pool } from "@annals/postgres";
import { patternsOf } from "../domain/kinds.ts";
import { type Entry, payloadTail } from "../domain/payload.ts";
import { checkGapless, type PlannedDelivery, planFanOut } from "../domain/plan-fan-out.ts";
import type { Metrics } from "../metrics.ts";
import { MAX_ENTRIES, type Producers } from "../outbound/producers.ts";
import { createDeliveries } from "../store/create-deliveries.ts";
import { lockSubscribers } from "../store/lock-subscribers.ts";
import { moveCursor } from "../store/move-cursor.ts";
import { readCursor } from "../store/read-cursor.ts";
import { Unsubscribed } from "./unsubscribed.ts";

export interface FanOutDeps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly producers: Pick<Producers, "entries">;
  readonly random: (size: number) => Uint8Array;
  /** Null for the database's own clock. */
  readonly now: () => string | null;
  /** Called when deliveries are stored. */
  readonly onDeliveries: (accountId: string, webhookIds: Iterable<string>) => void;
}

/** Accounts and kinds worked on at a time. */
const LANES = 4;
/** Deliveries that one transaction makes, a single entry's aside. */
const MAX_DELIVERIES = 1_000;
/** Accounts and kinds that may wait; the sweep finds again what is dropped. */
const MAX_WAITING = 100_000;

interface Look {
  readonly kind: NoticeKind;
  readonly accountId: string;
  /** The row reaches at least to here. */
  target: bigint;
  /** Fewer after a failure, in case it was too much at once. */
  limit: number;
}

export class FanOut {
  readonly #deps: FanOutDeps;
  readonly #unsubscribed: Unsubscribed;
  readonly #waiting = new Map<string, Look>();
  readonly #underWay = new Map<string, Promise<void>>();
  #isStopping = false;

  constructor(deps: FanOutDeps) {
    this.#deps = deps;
    this.#unsubscribed = new Unsubscribed({ ...deps, onSubscribed: (notice) => this.look(notice) });
  }

  /** Takes note of a notice; the work is done soon. */
  look(notice: Notice): void {
    if (this.#unsubscribed.keeps(notice)) return;
    const { kind, accountId, position } = notice;
    const key = `${kind} ${accountId}`;
    const waiting = this.#waiting.get(key);
    if (waiting) {
      if (position > waiting.target) waiting.target = position;
      return;
    }
    if (this.#isStopping || this.#waiting.size >= MAX_WAITING) return;
    this.#waiting.set(key, { kind, accountId, target: position, limit: MAX_ENTRIES });
    this.#pump();
  }

  /** A webhook of the account was made or changed: its notices are worth a look again. */
  expectSubscriber(accountId: string): void {
    this.#unsubscribed.forget(accountId);
  }

  /** Takes no more, and resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#waiting.clear();
    await this.#unsubscribed.stop();
    await this.settled();
  }

  /** Resolves when nothing waits and nothing is under way. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.values());
  }

  #pump(): void {
    for (const [key, look] of this.#waiting) {
      if (this.#underWay.size >= LANES) return;
      if (this.#underWay.has(key)) continue;
      this.#waiting.delete(key);
      const one = this.#carry(key, look).finally(() => {
        this.#underWay.delete(key);
        this.#pump();
      });
      this.#underWay.set(key, one);
    }
  }

  /** One page; what is left goes to the end of the row, behind other accounts. */
  async #carry(key: string, look: Look): Promise<void> {
    const { log, metrics } = this.#deps;
    try {
      const isDone = await this.#page(look);
      if (!isDone) this.#again(key, look);
    } catch (error) {
      metrics.failures.inc({ worker: "fan_out" });
      const { accountId, kind, limit } = look;
      log.warn({ err: error, account_id: accountId, kind }, "fan-out failed");
      if (limit > 1) this.#again(key, { ...look, limit: Math.floor(limit / 10) || 1 });
    }
  }

  #again(key: string, look: Look): void {
    if (this.#isStopping) return;
    const newer = this.#waiting.get(key);
    if (newer && newer.target > look.target) look.target = newer.target;
    this.#waiting.delete(key);
    this.#waiting.set(key, look);
  }

  /** Resolves to whether nothing is left up to the target. */
  async #page({ accountId, kind, target, limit }: Look): Promise<boolean> {
    const { database, producers } = this.#deps;
    const [cursor] = await database.run(readCursor, [accountId, kind, patternsOf(kind)]);
    if (!cursor || cursor.starts_after === null) {
      // The cursor stays: who subscribes later brings the position to begin at.
      this.#unsubscribed.add(kind, accountId);
      return true;
    }
    const position = BigInt(cursor.position);
    if (target <= position) return true;
    // Below this nobody is to be told of anything.
    const from = max(position, BigInt(cursor.starts_after));
    const room = Math.floor(MAX_DELIVERIES / cursor.subscribers);
    const pageSize = Math.max(1, Math.min(limit, room));
    const entries = from >= target ? [] : await producers.entries(kind, accountId, from, pageSize);
    checkGapless(entries, from);
    const to = entries.at(-1)?.position ?? from;
    if (to > position) await this.#store(accountId, kind, { position, to, entries });
    return to >= target || entries.length === 0;
  }

  async #store(
    accountId: string,
    kind: NoticeKind,
    page: { readonly position: bigint; readonly to: bigint; readonly entries: readonly Entry[] },
  ): Promise<void> {
    const { database, metrics, onDeliveries } = this.#deps;
    const { entries, position, to } = page;
    const made = await database.transaction(async (transaction) => {
      const [moved] = await transaction.run(moveCursor, [accountId, kind, position, to]);
      if (!moved || entries.length === 0) return [];
      const rows = await transaction.run(lockSubscribers, [accountId, kind, patternsOf(kind)]);
      const subscribers = rows.map((row) => ({
        id: row.id,
        startsAfter: BigInt(row.starts_after),
      }));
      const planned = planFanOut(entries, subscribers);
      if (planned.length > 0) {
        await transaction.run(createDeliveries, this.#params(accountId, entries, planned));
      }
      return planned;
    });
    if (made.length === 0) return;
    metrics.fannedOut.inc({ kind }, made.length);
    onDeliveries(accountId, new Set(made.map(({ webhookId }) => webhookId)));
  }

  #params(accountId: string, entries: readonly Entry[], planned: readonly PlannedDelivery[]) {
    const { clock, now, random } = this.#deps;
    const timestamp = clock.nowText();
    return [
      accountId,
      planned.map(({ webhookId }) => webhookId),
      planned.map(() => newId("wh_del", random)),
      planned.map(() => newId("wh_evt", random)),
      planned.map(({ place }) => place),
      entries.map(({ name }) => name),
      entries.map((entry) => payloadTail(entry, timestamp)),
      now(),
    ] satisfies Parameters<NonNullable<(typeof createDeliveries)["types"]>>[0];
  }
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
