// Decides which webhooks' deliveries this process claims next, and how many of each. Called by
// worker/delivery-engine.ts, which reports what happened. It does no I/O and reads no clock: times are
// milliseconds on any monotonic clock. It must never let more be in flight than a webhook, an account, a host
// or the process may have, and never let one of them take the slots of others.
//
//   webhook                                     account
//     idle      nothing is known to be due        idle      none of its webhooks is due
//     due       something may be due              due       has a turn at the next claim, or a later one
//     claiming  a claim for it is in flight       share     waits for a slot of its share
//     full      waits for one of its attempts     paused    its events cannot be read: it claims nothing for
//     crowded   waits for a slot of its host                a moment, then one delivery at a time until a
//                                                           read succeeds
//
//   idle ─notified, found─▶ due ─planned─▶ claiming ─claimed: fewer than its slots─▶ idle
//                            ▲ ▲               ├──── all of them, or notified meanwhile ─▶ due, full
//                            │ └──host free────┴──── its host has no slot ─▶ crowded
//                            └──ended── full
//
// Accounts take turns, and so do the webhooks of an account. What does not fit into memory stays idle: the
// scan finds it again, since the database has everything.

import { type Account, DeliveryStates, type Limits } from "./delivery-states.ts";
import { hostAndPort, HostSlots } from "./host-slots.ts";

/** What to claim for one webhook. */
export interface Grant {
  readonly accountId: string;
  readonly webhookId: string;
  /** Deliveries that were due before this time are known to be claimed; undefined if that is not known. */
  readonly since: string | undefined;
  slots: number;
  /** Host whose slots are taken, one per delivery; undefined if the host is not known yet. */
  readonly host: string | undefined;
}

/** A delivery that was claimed. */
export interface Claimed {
  readonly accountId: string;
  readonly webhookId: string;
  readonly url: string;
  readonly dueAt: string;
}

export interface Begin<Row> {
  readonly begun: Row[];
  /** Deliveries that were claimed but whose host has no slot: released, and due again after `delayS`. */
  readonly refused: { readonly row: Row; readonly delayS: number }[];
}

/** Maximum deliveries that one claim takes: their bodies are in memory until they are sent. */
const DELIVERIES_PER_CLAIM = 250;
/** Maximum accounts that one statement names: PostgreSQL sorts them for each row that it looks up. */
export const ACCOUNTS_PER_STATEMENT = 32;
/** Deliveries of a crowded host whose webhook cannot wait in memory are due again after this time. */
const CROWDED_DELAY_S = 1;

/** What a webhook and an account may have in flight, depending on how much is in flight now. */
interface Shares {
  readonly now: number;
  readonly perWebhook: number;
  readonly perAccount: number;
}

interface ClaimResult {
  readonly last: Claimed | undefined;
  readonly taken: number;
  readonly isRefused: boolean;
  readonly now: number;
}

export class DeliveryMachine {
  readonly states: DeliveryStates;
  readonly #limits: Limits;
  readonly #hosts: HostSlots;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.states = new DeliveryStates(limits);
    this.#hosts = new HostSlots(limits.maxInFlightPerHost);
  }

  /** Called when deliveries of these webhooks were stored: they may be due. */
  notified(accountId: string, webhookIds: Iterable<string>): void {
    for (const id of webhookIds) this.states.makeDue(this.states.webhook(accountId, id));
  }

  /** Called when a scan has found that the webhook's first due delivery has been due since `since`. */
  found(accountId: string, webhookId: string, since: string): void {
    const webhook = this.states.webhook(accountId, webhookId);
    webhook.since = webhook.state === "claiming" ? undefined : since;
    this.states.makeDue(webhook);
  }

  /** Says what to claim now. The slots count as taken until the result: {@link claimed} or {@link failed}. */
  plan(now: number): Grant[] {
    for (const id of this.#hosts.expire(now)) this.states.leaveCrowd(id);
    for (const account of this.states.unread) {
      const until = account.pausedUntil ?? 0;
      if (until > now && until < Infinity) break;
      if (until <= now) this.states.takeTurns(account);
    }
    const slots = Math.min(this.#limits.maxInFlight - this.states.inFlight, DELIVERIES_PER_CLAIM);
    if (slots <= 0) return [];
    const shares: Shares = {
      now,
      perWebhook: this.states.shareOf(this.#limits.maxInFlightPerEndpoint),
      perAccount: this.states.shareOf(this.#limits.maxInFlightPerAccount),
    };
    const grants = this.#firsts(slots, shares);
    // The first of each webhook comes before the second of any, those of later claims included.
    let more = slots - grants.length;
    for (const account of this.states.turns) {
      if (more <= 0) break;
      more -= account.due.size;
    }
    let open = grants;
    while (more > 0 && open.length > 0) {
      open = open.filter((grant) => {
        if (more <= 0 || !this.#grow(grant, shares)) return false;
        more -= 1;
        return true;
      });
    }
    return grants;
  }

  /** Called with the result of a claim: for each webhook, its deliveries in the order of their due times. */
  claimed<Row extends Claimed>(grants: readonly Grant[], rows: readonly Row[], now: number) {
    const begin: Begin<Row> = { begun: [], refused: [] };
    const byWebhook = new Map(grants.map(({ webhookId }) => [webhookId, new Array<Row>()]));
    for (const row of rows) byWebhook.get(row.webhookId)?.push(row);
    const refused = new Map<string, Row[]>();
    for (let turn = 0, isMore = true; isMore; turn++) {
      isMore = false;
      for (const grant of grants) {
        const row = byWebhook.get(grant.webhookId)?.[turn];
        if (!row) continue;
        isMore = true;
        if (this.#begins(grant, row)) begin.begun.push(row);
        else refused.set(grant.webhookId, [...(refused.get(grant.webhookId) ?? []), row]);
      }
    }
    for (const grant of grants) {
      const taken = byWebhook.get(grant.webhookId) ?? [];
      const given = refused.get(grant.webhookId) ?? [];
      this.#giveBack(grant, grant.slots - taken.length);
      const waits = this.#settle(grant, {
        last: taken.at(-1),
        taken: taken.length,
        isRefused: given.length > 0,
        now,
      });
      const delayS = waits ? 0 : CROWDED_DELAY_S;
      begin.refused.push(...given.map((row) => ({ row, delayS })));
    }
    return begin;
  }

  /** Called when the claim has failed: what was planned is due again. */
  failed(grants: readonly Grant[]): void {
    for (const grant of grants) {
      this.#giveBack(grant, grant.slots);
      const webhook = this.states.webhook(grant.accountId, grant.webhookId);
      webhook.state = "idle";
      this.states.endProbe(webhook.account);
      this.states.makeDue(webhook);
    }
  }

  /** Called when an attempt has ended: its slots are free. */
  ended({ accountId, webhookId, url }: Omit<Claimed, "dueAt">): void {
    const webhook = this.states.webhook(accountId, webhookId);
    this.states.count(webhook, -1);
    this.states.endProbe(webhook.account);
    if (webhook.state === "full") this.states.makeDue(webhook);
    this.#freeHost(hostAndPort(url), accountId);
    this.states.takeTurns(webhook.account);
    this.states.forget(webhook);
  }

  /** Called when a claimed delivery was released: it is due again at once. */
  released({ accountId, webhookId }: Pick<Claimed, "accountId" | "webhookId">): void {
    const webhook = this.states.webhook(accountId, webhookId);
    webhook.since = undefined;
    this.states.makeDue(webhook);
  }

  /** Grants the first slot of each webhook: a webhook of each account before the second of any account. */
  #firsts(slots: number, shares: Shares): Grant[] {
    const able: Account[] = [];
    for (const account of this.states.turns) {
      if (able.length >= ACCOUNTS_PER_STATEMENT) break;
      this.states.turns.delete(account);
      if (this.#freeOf(account, shares) > 0) able.push(account);
    }
    const grants: Grant[] = [];
    let open = able;
    while (open.length > 0 && grants.length < slots) {
      open = open.filter((account) => {
        const grant = grants.length < slots ? this.#first(account, shares) : undefined;
        if (grant) grants.push(grant);
        return grant !== undefined;
      });
    }
    for (const account of able) {
      if (this.#freeOf(account, shares) > 0) this.states.takeTurns(account);
    }
    return grants;
  }

  #first(account: Account, shares: Shares): Grant | undefined {
    for (const webhook of account.due) {
      if (this.#freeOf(account, shares) <= 0) return undefined;
      const { id, inFlight, since } = webhook;
      this.states.leaveQueue(webhook);
      const host = this.#hosts.hostOf(id);
      if (inFlight >= shares.perWebhook) webhook.state = "full";
      else if (host === undefined || this.#hosts.take(host, account.id)) {
        webhook.state = "claiming";
        webhook.isNotified = false;
        this.states.count(webhook, 1);
        if (account.pausedUntil !== undefined) account.pausedUntil = Infinity;
        return { accountId: account.id, webhookId: id, since, slots: 1, host };
      } else {
        webhook.state = this.#hosts.wait(id, account.id, shares.now) ? "crowded" : "idle";
        this.states.forget(webhook);
      }
    }
    return undefined;
  }

  /** Grants one more slot, if the webhook, its account and its host have one. */
  #grow(grant: Grant, shares: Shares): boolean {
    const webhook = this.states.webhook(grant.accountId, grant.webhookId);
    if (webhook.inFlight >= shares.perWebhook || this.#freeOf(webhook.account, shares) <= 0) {
      return false;
    }
    if (grant.host !== undefined && !this.#hosts.take(grant.host, grant.accountId)) return false;
    this.states.count(webhook, 1);
    grant.slots += 1;
    return true;
  }

  #freeOf({ inFlight, pausedUntil }: Account, { now, perAccount }: Shares): number {
    if (pausedUntil === undefined) return perAccount - inFlight;
    return now < pausedUntil ? 0 : Math.min(1, perAccount - inFlight);
  }

  /** Whether a claimed delivery has a slot of its host, which may differ from the planned host. */
  #begins({ accountId, host: planned, webhookId }: Grant, { url }: Claimed): boolean {
    const host = this.#hosts.know(webhookId, url);
    if (host === planned) return true;
    if (planned !== undefined) this.#freeHost(planned, accountId);
    if (this.#hosts.take(host, accountId)) return true;
    this.states.count(this.states.webhook(accountId, webhookId), -1);
    return false;
  }

  #giveBack({ accountId, host, webhookId }: Grant, slots: number): void {
    this.states.count(this.states.webhook(accountId, webhookId), -slots);
    for (let n = 0; n < slots && host !== undefined; n++) this.#freeHost(host, accountId);
  }

  /** Sets the state of a webhook after its claim. Returns whether it waits for its host. */
  #settle(grant: Grant, { last, isRefused, taken, now }: ClaimResult): boolean {
    const webhook = this.states.webhook(grant.accountId, grant.webhookId);
    const { account, id, isNotified } = webhook;
    webhook.state = "idle";
    webhook.since = isRefused ? undefined : (last?.dueAt ?? webhook.since);
    if (!last || isRefused) this.states.endProbe(account);
    const waits = isRefused && this.#hosts.wait(id, account.id, now);
    if (waits) webhook.state = "crowded";
    else if (!isRefused && (isNotified || taken === grant.slots)) this.states.makeDue(webhook);
    this.states.takeTurns(account);
    this.states.forget(webhook);
    return waits;
  }

  #freeHost(host: string, accountId: string): void {
    const next = this.#hosts.free(host, accountId);
    if (next !== undefined) this.states.leaveCrowd(next);
  }
}
