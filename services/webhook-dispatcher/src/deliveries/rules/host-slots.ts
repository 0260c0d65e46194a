// Bounds the attempts in flight to one host and port, over all accounts and webhooks. Called by
// delivery-machine.ts. A webhook whose host has no slot waits here, and its deliveries hold no slots of its
// account, so that others are not delayed. An account takes at most half of the free slots.

import { mayHaveMore } from "@annals/contract";

interface Host {
  used: number;
  readonly usedBy: Map<string, number>;
  /** Webhooks that wait for a slot, each with its account. */
  readonly waiting: Map<string, string>;
}

interface Waiting {
  readonly host: string;
  readonly until: number;
}

/** Time after which a webhook is claimed for again, even if no attempt to its host has ended. */
const WAIT_MS = 1_000;
/** Maximum webhooks that wait, over all hosts. */
const MAX_WAITING = 2_000;
/** Maximum webhooks whose host is remembered. */
const MAX_KNOWN = 10_000;

export class HostSlots {
  readonly #maxPerHost: number;
  readonly #hosts = new Map<string, Host>();
  /** The host of each webhook's last delivery, the latest last. */
  readonly #hostOf = new Map<string, string>();
  /** Waits in the order in which they began, which is the order in which they end. */
  readonly #waiting = new Map<string, Waiting>();

  constructor(maxPerHost: number) {
    this.#maxPerHost = maxPerHost;
  }

  /** The host of a webhook; undefined before its first delivery. */
  hostOf(webhookId: string): string | undefined {
    return this.#hostOf.get(webhookId);
  }

  /** Remembers and returns the host of a webhook. */
  know(webhookId: string, url: string): string {
    const host = hostAndPort(url);
    this.#hostOf.delete(webhookId);
    this.#hostOf.set(webhookId, host);
    const [oldest] = this.#hostOf.size > MAX_KNOWN ? this.#hostOf.keys() : [];
    if (oldest !== undefined) this.#hostOf.delete(oldest);
    return host;
  }

  /** Takes a slot. Returns false if the host has no slot for the account. */
  take(name: string, accountId: string): boolean {
    const host = this.#hosts.get(name) ?? { used: 0, usedBy: new Map(), waiting: new Map() };
    if (!this.#mayTake(host, accountId)) return false;
    this.#hosts.set(name, host);
    host.used += 1;
    host.usedBy.set(accountId, (host.usedBy.get(accountId) ?? 0) + 1);
    return true;
  }

  /** Frees a slot. Returns the webhook that has waited longest for it and may have it. */
  free(name: string, accountId: string): string | undefined {
    const host = this.#hosts.get(name);
    if (!host) return undefined;
    host.used -= 1;
    const left = (host.usedBy.get(accountId) ?? 0) - 1;
    if (left > 0) host.usedBy.set(accountId, left);
    else host.usedBy.delete(accountId);
    const next = [...host.waiting].find(([, account]) => this.#mayTake(host, account))?.[0];
    if (next !== undefined) this.#leave(next);
    if (host.used === 0 && host.waiting.size === 0) this.#hosts.delete(name);
    return next;
  }

  /** Makes the webhook wait for a slot of its host. False if too many wait, or the host has no attempt. */
  wait(webhookId: string, accountId: string, now: number): boolean {
    const name = this.#hostOf.get(webhookId) ?? "";
    const host = this.#hosts.get(name);
    if (!host || this.#waiting.size >= MAX_WAITING) return false;
    this.#waiting.set(webhookId, { host: name, until: now + WAIT_MS });
    host.waiting.set(webhookId, accountId);
    return true;
  }

  /** Ends the waits that have taken too long, and returns their webhooks. */
  expire(now: number): string[] {
    const ended: string[] = [];
    for (const [webhookId, { until }] of this.#waiting) {
      if (until > now) break;
      this.#leave(webhookId);
      ended.push(webhookId);
    }
    return ended;
  }

  #leave(webhookId: string): void {
    const name = this.#waiting.get(webhookId)?.host ?? "";
    const host = this.#hosts.get(name);
    this.#waiting.delete(webhookId);
    host?.waiting.delete(webhookId);
    if (host?.used === 0 && host.waiting.size === 0) this.#hosts.delete(name);
  }

  #mayTake({ used, usedBy }: Host, accountId: string): boolean {
    return mayHaveMore({ held: usedBy.get(accountId) ?? 0, total: this.#maxPerHost, used });
  }
}

/** Returns the host and port that a connection is made to, in one spelling. */
export function hostAndPort(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname.replace(/\.$/, "")}:${port === "" ? "443" : port}`;
}
