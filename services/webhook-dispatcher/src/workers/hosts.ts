// Bounds the attempts under way to one host and port, over all accounts and webhooks. Called by
// delivery-engine.ts and attempts.ts. A webhook whose host has no slot waits here, and its deliveries hold
// none of the slots of its account: others are not delayed. An account takes at most half of what is free.

export interface HostsOptions {
  readonly maxPerHost: number;
  /** The webhook may be claimed again. */
  readonly onFree: (accountId: string, webhookId: string) => void;
  /** On the monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

interface Waiting {
  readonly accountId: string;
  readonly until: number;
}

interface Host {
  used: number;
  readonly usedBy: Map<string, number>;
  readonly waiting: Map<string, Waiting>;
}

/** After so long a webhook is looked at again, in case that no attempt to its host ends. */
const WAIT_MS = 1_000;
/** Webhooks that wait; those beyond are claimed in vain, and released for a moment. */
const MAX_WAITING = 2_000;
/** Webhooks whose host is known. */
const MAX_KNOWN = 10_000;

export class Hosts {
  readonly #options: HostsOptions;
  readonly #now: () => number;
  readonly #hosts = new Map<string, Host>();
  readonly #hostOf = new Map<string, string>();
  /** Those that wait, each with its host. */
  readonly #waiting = new Map<string, string>();

  constructor(options: HostsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** The webhooks that wait. */
  waitingIds(): Iterable<string> {
    return this.#waiting.keys();
  }

  /** How many attempts of the webhook may begin; unknown before its first. */
  slotsFor(accountId: string, webhookId: string): number | undefined {
    if (this.#waiting.has(webhookId)) return 0;
    const host = this.#hostOf.get(webhookId);
    return host === undefined ? undefined : this.#slotsAt(host, accountId);
  }

  /** Undefined where its host has no slot; else what frees the slot again. */
  take(accountId: string, webhookId: string, url: string): (() => void) | undefined {
    const name = hostAndPort(url);
    this.#know(webhookId, name);
    if (this.#slotsAt(name, accountId) === 0) return undefined;
    const host = this.#hosts.get(name) ?? { used: 0, usedBy: new Map(), waiting: new Map() };
    this.#hosts.set(name, host);
    host.used += 1;
    host.usedBy.set(accountId, (host.usedBy.get(accountId) ?? 0) + 1);
    return () => this.#free(name, accountId, host);
  }

  /** Lets the webhook wait. False where too many do. */
  wait(accountId: string, webhookId: string): boolean {
    const name = this.#hostOf.get(webhookId);
    const host = name === undefined ? undefined : this.#hosts.get(name);
    if (name === undefined || !host) return false;
    if (this.#waiting.has(webhookId)) return true;
    if (this.#waiting.size >= MAX_WAITING) return false;
    this.#waiting.set(webhookId, name);
    host.waiting.set(webhookId, { accountId, until: this.#now() + WAIT_MS });
    return true;
  }

  /** Ends the waits that have taken too long. */
  expire(): void {
    for (const [webhookId, name] of this.#waiting) {
      const host = this.#hosts.get(name);
      const waiting = host?.waiting.get(webhookId);
      // In the order of their beginning.
      if (waiting && waiting.until > this.#now()) return;
      this.#waiting.delete(webhookId);
      host?.waiting.delete(webhookId);
      if (waiting) this.#options.onFree(waiting.accountId, webhookId);
    }
  }

  #slotsAt(name: string, accountId: string): number {
    const { used, usedBy } = this.#hosts.get(name) ?? { used: 0, usedBy: new Map() };
    const own = usedBy.get(accountId) ?? 0;
    // Each slot that it takes leaves one less, and it has no more than was free.
    return Math.max(0, Math.floor((this.#options.maxPerHost - used - own + 1) / 2));
  }

  #free(name: string, accountId: string, host: Host): void {
    host.used -= 1;
    const left = (host.usedBy.get(accountId) ?? 0) - 1;
    if (left > 0) host.usedBy.set(accountId, left);
    else host.usedBy.delete(accountId);
    for (const [webhookId, waiting] of host.waiting) {
      if (this.#slotsAt(name, waiting.accountId) === 0) continue;
      host.waiting.delete(webhookId);
      this.#waiting.delete(webhookId);
      this.#options.onFree(waiting.accountId, webhookId);
      break;
    }
    if (host.used === 0 && host.waiting.size === 0) this.#hosts.delete(name);
  }

  #know(webhookId: string, name: string): void {
    this.#hostOf.delete(webhookId);
    this.#hostOf.set(webhookId, name);
    const [oldest] = this.#hostOf.size > MAX_KNOWN ? this.#hostOf.keys() : [];
    if (oldest !== undefined) this.#hostOf.delete(oldest);
  }
}

/** As a connection is made: in one spelling. */
function hostAndPort(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname.replace(/\.$/, "")}:${port === "" ? "443" : port}`;
}
