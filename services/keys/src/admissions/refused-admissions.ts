// Counts the requests that were refused, and records them for the operator's audit: one entry a minute at
// most, and none if nothing was refused. Called by admit-requests.ts and serve.ts. A flood of requests
// must not become a flood of entries.

import { type Counter, type Logger, type Loop, startLoop } from "@annals/chassis";
import { type Clock, SYSTEM_ACCOUNT_ID } from "@annals/contract";
import type { AuditEntryOf, Pool } from "@annals/postgres";
import { AUDIT } from "../store/audit.ts";

const INTERVAL_MS = 60_000;
/** Keys that are counted, and those with most refusals that one entry names: it has a bound in bytes. */
const MAX_KEYS = 100;
const MAX_KEYS_NAMED = 4;

interface RefusedKey {
  readonly account_id: string;
  readonly key_id: string;
  count: number;
}

export class RefusedAdmissions {
  readonly #clock: Clock;
  readonly #database: Pool;
  #unknownKey = 0;
  #rateLimited = 0;
  #otherAddress = 0;
  #keys = new Map<string, RefusedKey>();
  #since: string;
  /** An entry that could not be stored yet. */
  #waiting: AuditEntryOf<"keys"> | undefined;

  constructor({ clock, database }: { readonly clock: Clock; readonly database: Pool }) {
    this.#clock = clock;
    this.#database = database;
    this.#since = clock.nowText();
  }

  /** Counts requests with keys that do not exist, or that were revoked. */
  unknownKey(count: number): void {
    this.#unknownKey += count;
  }

  rateLimited(accountId: string, keyId: string, count: number): void {
    this.#rateLimited += count;
    this.#countKey(accountId, keyId, count);
  }

  /** Counts requests from where their key may not be used: it may have been stolen. */
  otherAddress(accountId: string, keyId: string, count: number): void {
    this.#otherAddress += count;
    this.#countKey(accountId, keyId, count);
  }

  #countKey(accountId: string, keyId: string, count: number): void {
    if (count === 0) return;
    // A person has one id in all accounts.
    const name = `${accountId} ${keyId}`;
    const known = this.#keys.get(name);
    if (known) known.count += count;
    else if (this.#keys.size < MAX_KEYS)
      this.#keys.set(name, { account_id: accountId, key_id: keyId, count });
  }

  /** Stores what was counted since the last entry. After a failure the next call stores it. */
  async write(): Promise<void> {
    const entry = (this.#waiting ??= this.#take());
    if (entry === undefined) return;
    await this.#database.transaction((transaction) => AUDIT.add(transaction, entry));
    this.#waiting = undefined;
  }

  #take(): AuditEntryOf<"keys"> | undefined {
    const occurredAt = this.#clock.nowText();
    const counts = {
      unknown_key: this.#unknownKey,
      rate_limited: this.#rateLimited,
      other_address: this.#otherAddress,
    };
    const keys = [...this.#keys.values()].toSorted((a, b) => b.count - a.count);
    const metadata = {
      counts,
      keys: keys.slice(0, MAX_KEYS_NAMED),
      further_keys: Math.max(0, keys.length - MAX_KEYS_NAMED),
      since: this.#since,
    };
    [this.#unknownKey, this.#rateLimited, this.#otherAddress] = [0, 0, 0];
    this.#since = occurredAt;
    this.#keys = new Map();
    if (counts.unknown_key + counts.rate_limited + counts.other_address === 0) return undefined;
    return {
      accountId: SYSTEM_ACCOUNT_ID,
      action: "annals.admission.refused",
      actor: { type: "service", id: "keys" },
      target: { type: "service", id: "keys" },
      metadata,
      occurredAt,
    };
  }
}

/** Stores an entry each minute, and a last one when it is stopped. */
export function startRefusedAdmissions(
  refused: RefusedAdmissions,
  { failures, log }: { readonly log: Logger; readonly failures: Counter<"worker"> },
): Pick<Loop, "stop"> {
  const loop = startLoop({
    name: "refused_admissions",
    log,
    failures,
    delayMs: INTERVAL_MS,
    initialDelayMs: INTERVAL_MS,
    run: () => refused.write(),
  });
  return {
    stop: async () => {
      await loop.stop();
      await refused.write();
    },
  };
}
