// The states of webhooks and accounts, and what each has in flight. Called by delivery-machine.ts, which
// says how the states follow each other. It keeps what is due, waits or has attempts in flight, and must
// never keep anything else: its memory is bounded by MAX_DUE, MAX_PAUSED and the limits.

export interface Limits {
  readonly maxInFlight: number;
  readonly maxInFlightPerEndpoint: number;
  readonly maxInFlightPerAccount: number;
  readonly maxInFlightPerHost: number;
}

export type WebhookState = "idle" | "due" | "claiming" | "full" | "crowded";
export type AccountState = "idle" | "due" | "share" | "paused";

export interface Account {
  readonly id: string;
  /** Its webhooks in the state due, in the order of their turns. */
  readonly due: Set<Webhook>;
  /** Webhooks in memory. */
  webhooks: number;
  inFlight: number;
  /** Time until which it claims nothing, because its events cannot be read. */
  pausedUntil: number | undefined;
}

export interface Webhook {
  readonly id: string;
  readonly account: Account;
  state: WebhookState;
  inFlight: number;
  since: string | undefined;
  /** Whether something became due while a claim was in flight, which may have missed it. */
  isNotified: boolean;
}

/** Maximum webhooks in the state due. The scan finds the others. */
export const MAX_DUE = 10_000;
/** Time for which an account whose events cannot be read claims nothing. */
const PAUSE_MS = 1_000;
const MAX_PAUSED = 10_000;
/** Share of slots in use from which each webhook and account gets fewer, so that hanging ones leave some. */
const CROWDED_SHARE = 0.5;
const SLOTS_SHARE_WHEN_CROWDED = 0.2;

export class DeliveryStates {
  /** The accounts in the state due, in the order of their turns. */
  readonly turns = new Set<Account>();
  /** The accounts whose events cannot be read, in the order in which their pauses end. */
  readonly unread = new Set<Account>();
  readonly #limits: Limits;
  readonly #webhooks = new Map<string, Webhook>();
  readonly #accounts = new Map<string, Account>();
  #dueCount = 0;
  #inFlight = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Number of attempts in flight, and of the slots of a claim in flight. */
  get inFlight(): number {
    return this.#inFlight;
  }

  get isFull(): boolean {
    return this.#inFlight >= this.#limits.maxInFlight;
  }

  /** Whether a claim may find something. */
  get hasWork(): boolean {
    return this.turns.size > 0 && !this.isFull;
  }

  /** Number of webhooks and accounts in memory. */
  get size(): number {
    return this.#webhooks.size + this.#accounts.size;
  }

  /** Number of webhooks that a scan may find so that all of them fit into memory. */
  get capacity(): number {
    return MAX_DUE - this.#dueCount;
  }

  stateOf(webhookId: string): WebhookState {
    return this.#webhooks.get(webhookId)?.state ?? "idle";
  }

  stateOfAccount(accountId: string): AccountState {
    const account = this.#accounts.get(accountId);
    if (account?.pausedUntil !== undefined) return "paused";
    if (!account || account.due.size === 0) return "idle";
    return this.turns.has(account) ? "due" : "share";
  }

  /** Called when a read of the account's events has ended. */
  read(accountId: string, isRead: boolean, now: number): void {
    const account = this.#account(accountId);
    this.unread.delete(account);
    account.pausedUntil = undefined;
    if (!isRead) {
      const [oldest] = this.unread.size >= MAX_PAUSED ? this.unread : [];
      if (oldest) this.#resume(oldest);
      account.pausedUntil = now + PAUSE_MS;
      this.unread.add(account);
      this.turns.delete(account);
    }
    this.takeTurns(account);
    this.#forgetAccount(account);
  }

  /** Queues the webhook, unless its state means that it is queued later. */
  makeDue(webhook: Webhook): void {
    const { account, state } = webhook;
    if (state === "claiming") webhook.isNotified = true;
    // The account may have waited for a share that is larger now.
    if (state === "due") this.takeTurns(account);
    if (state !== "idle" && state !== "full") return;
    if (webhook.inFlight >= this.shareOf(this.#limits.maxInFlightPerEndpoint)) {
      webhook.state = "full";
    } else if (this.#dueCount < MAX_DUE) {
      webhook.state = "due";
      account.due.add(webhook);
      this.#dueCount += 1;
      this.takeTurns(account);
    } else webhook.state = "idle";
    this.forget(webhook);
  }

  /** Called when the host of the webhook has a slot, or the webhook has waited too long. */
  leaveCrowd(webhookId: string): void {
    const webhook = this.#webhooks.get(webhookId);
    if (webhook?.state !== "crowded") return;
    webhook.state = "idle";
    this.makeDue(webhook);
  }

  leaveQueue(webhook: Webhook): void {
    webhook.account.due.delete(webhook);
    this.#dueCount -= 1;
  }

  /** Gives the account a turn if one of its webhooks is due and a slot of its share is free. */
  takeTurns(account: Account): void {
    const perAccount = this.shareOf(this.#limits.maxInFlightPerAccount);
    if (account.due.size > 0 && account.inFlight < perAccount) this.turns.add(account);
  }

  /** Called when the one delivery that tests a paused account has shown nothing: the next one may. */
  endProbe(account: Account): void {
    if (account.pausedUntil === Infinity) account.pausedUntil = 0;
  }

  #resume(account: Account): void {
    this.unread.delete(account);
    account.pausedUntil = undefined;
    this.takeTurns(account);
    this.#forgetAccount(account);
  }

  /** Counts slots that are taken, or free again. */
  count(webhook: Webhook, change: number): void {
    webhook.inFlight += change;
    webhook.account.inFlight += change;
    this.#inFlight += change;
  }

  /** The share of its slots that a webhook or an account may have now. */
  shareOf(slots: number): number {
    const isCrowded = this.#inFlight >= this.#limits.maxInFlight * CROWDED_SHARE;
    return isCrowded ? Math.max(1, Math.floor(slots * SLOTS_SHARE_WHEN_CROWDED)) : slots;
  }

  webhook(accountId: string, id: string): Webhook {
    const known = this.#webhooks.get(id);
    if (known) return known;
    const account = this.#account(accountId);
    const state = "idle" as const;
    const webhook = { id, account, state, inFlight: 0, since: undefined, isNotified: false };
    account.webhooks += 1;
    this.#webhooks.set(id, webhook);
    return webhook;
  }

  #account(id: string): Account {
    const known = this.#accounts.get(id);
    if (known) return known;
    const account = {
      id,
      due: new Set<Webhook>(),
      webhooks: 0,
      inFlight: 0,
      pausedUntil: undefined,
    };
    this.#accounts.set(id, account);
    return account;
  }

  /** Drops a webhook from memory unless it is due, waits, or has attempts in flight. */
  forget(webhook: Webhook): void {
    const { account, id, inFlight, state } = webhook;
    if (state !== "idle" || inFlight > 0 || this.#webhooks.get(id) !== webhook) return;
    this.#webhooks.delete(id);
    account.webhooks -= 1;
    this.#forgetAccount(account);
  }

  #forgetAccount(account: Account): void {
    if (account.webhooks > 0 || account.pausedUntil !== undefined) return;
    this.#accounts.delete(account.id);
  }
}
