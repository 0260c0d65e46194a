// Stores the results of attempts, and releases claims that were not attempted: many in one statement. While
// the database does not respond, statements are retried for as long as their leases may hold. Disables
// webhooks whose receivers have failed for days. Called by attempts.ts. It must never reject.

import type { Logger } from "@annals/chassis";
import { KeyedBatcher } from "@annals/rpc";
import type { Clock } from "@annals/contract";
import { type AuditEntryOf, isDistributed, type Pool } from "@annals/postgres";
import { setTimeout as pause } from "node:timers/promises";
import type { Metrics } from "../../metrics.ts";
import { ACCOUNTS_PER_STATEMENT } from "../rules/delivery-machine.ts";
import { webhookChange } from "../../webhooks/rules/audit-entries.ts";
import { AUDIT } from "../../store/audit.ts";
import { disableFailing } from "../store/disable-failing.ts";
import { lockWebhook } from "../../store/find-webhook.ts";
import type { DeliveryFailure } from "../delivery-failure.ts";
import { noteHealth } from "../store/note-health.ts";
import { takeNumber } from "../../store/take-number.ts";
import { type ResultRow, recordResults } from "../store/record-results.ts";
import { releaseClaims } from "../store/release-claims.ts";

export interface Claim {
  readonly accountId: string;
  readonly webhookId: string;
  /** Time at which it was due when it was claimed. */
  readonly dueAt: string;
  readonly number: string;
  readonly fence: string;
}

export interface Result extends Claim {
  readonly url: string;
  readonly success: boolean;
  readonly statusCode: number | null;
  readonly failure: DeliveryFailure | null;
}

export interface Release extends Claim {
  /** Seconds until it is due again. */
  readonly delayS: number;
}

export interface ResultWriterDeps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly retryDelaysS: readonly number[];
  /** Days without a success after which a webhook is disabled; 0: never. */
  readonly disableAfterDays: number;
  readonly now: () => string;
  /**
   * Time for which a statement is retried: after it the leases have ended, and other replicas have the
   * deliveries.
   */
  readonly keepTryingMs: number;
}

const MAX_GROUP = 500;
/** Maximum statements in flight. */
const CONCURRENCY = 1;
/** Maximum webhooks whose changes are stored at once, after a group: each is a commit. */
const CHANGES_AT_ONCE = 4;
/** Time from a statement to the next: attempts that end meanwhile share a statement and a commit. */
const GATHER_MS = 5;
/** The key of results and releases that share statements. */
const ALL_ACCOUNTS = "";
/** Time between two attempts of a statement. */
const RETRY_MS = 250;

export class ResultWriter {
  readonly #deps: ResultWriterDeps;
  readonly #results: KeyedBatcher<Result, void>;
  readonly #releases: KeyedBatcher<Release, void>;

  /** `maxWaiting` is the number of deliveries that can be claimed at once. */
  constructor(deps: ResultWriterDeps, maxWaiting: number) {
    this.#deps = deps;
    const bounds = {
      maxGroup: MAX_GROUP,
      concurrency: CONCURRENCY,
      maxWaiting,
      maxWeight: maxWaiting + MAX_GROUP,
    };
    this.#results = new KeyedBatcher({
      ...bounds,
      name: "record-result",
      work: (_, results) => this.#record(results),
    });
    this.#releases = new KeyedBatcher({
      ...bounds,
      name: "release-claim",
      work: (_, claims) => this.#release(claims),
    });
  }

  /** Resolves when the result is stored, or when its lease has ended. */
  async record(result: Result): Promise<void> {
    await this.#submit(this.#results, result);
  }

  /** Resolves when the claim is released, or when its lease has ended. */
  async release(claim: Release): Promise<void> {
    await this.#submit(this.#releases, claim);
  }

  /** Accounts share statements, unless a server that is away would keep the results of all. */
  async #submit<T extends Claim>(batcher: KeyedBatcher<T, void>, one: T): Promise<void> {
    try {
      const isApart = await this.#untilDone(() => isDistributed(this.#deps.database));
      await batcher.submit(isApart ? one.accountId : ALL_ACCOUNTS, one);
    } catch (error) {
      this.#onTimeout(error);
    }
  }

  async #record(given: readonly Result[]) {
    const { database, disableAfterDays, metrics, now, retryDelaysS } = this.#deps;
    const rows: ResultRow[] = [];
    for (const results of byAccounts(given)) {
      const stored = await this.#untilDone(() =>
        database.run(recordResults, [
          now(),
          retryDelaysS,
          ...columns(results),
          results.map(({ success }) => success),
          results.map(({ statusCode }) => statusCode),
          disableAfterDays,
          results.map(({ url }) => url),
          results.map(({ failure }) => failure),
        ]),
      );
      rows.push(...stored);
    }
    metrics.lostLeases.inc(given.length - rows.length);
    // The results are stored. If a change of a webhook cannot be stored now, the next result stores it.
    await this.#mark(rows.filter((row) => row.changes_health || row.is_dead));
    await pause(GATHER_MS);
    return given.map(() => ({ status: "fulfilled", value: undefined }) as const);
  }

  /** Stores one change per webhook: the success, if there is one. */
  async #mark(rows: readonly ResultRow[]): Promise<void> {
    const webhooks = new Map<string, ResultRow>();
    for (const row of rows) {
      const key = `${row.account_id} ${row.webhook_id}`;
      if (row.success || !webhooks.has(key)) webhooks.set(key, row);
    }
    const changes = [...webhooks.values()];
    for (let at = 0; at < changes.length; at += CHANGES_AT_ONCE) {
      const some = changes.slice(at, at + CHANGES_AT_ONCE).map((row) => this.#change(row));
      await Promise.all(some);
    }
  }

  /** Stores the change of a webhook. Never rejects, so that a failure does not affect other webhooks. */
  async #change(row: ResultRow): Promise<void> {
    try {
      await (row.is_dead ? this.#disable(row) : this.#note(row));
    } catch (error) {
      this.#onFailure(error);
    }
  }

  async #note({ account_id: accountId, success, url, webhook_id: id }: ResultRow): Promise<void> {
    const { database, now } = this.#deps;
    await database.forAccount(accountId).run(noteHealth, [now(), accountId, id, success, url]);
  }

  async #disable({ account_id: accountId, webhook_id: id }: ResultRow): Promise<void> {
    const { database, disableAfterDays, log, metrics, now } = this.#deps;
    const isDisabled = await database.forAccount(accountId).transaction(async (transaction) => {
      await transaction.run(lockWebhook, [accountId, id]);
      const [next] = await transaction.run(takeNumber, []);
      const params = [now(), accountId, id, disableAfterDays, next?.number ?? "0"] as const;
      const [row] = await transaction.run(disableFailing, [...params]);
      if (row) await AUDIT.add(transaction, this.#disabledEntry(accountId, id));
      return row !== undefined;
    });
    if (!isDisabled) return;
    metrics.disabled.inc();
    log.warn(
      { account_id: accountId, webhook_id: id },
      "webhook disabled: its receiver failed for days",
    );
  }

  #disabledEntry(accountId: string, id: string): AuditEntryOf<"webhook-dispatcher"> {
    const actor = { type: "service", id: "webhook-dispatcher" } as const;
    const metadata = { reason: "failing" };
    const change = { actor, occurredAt: this.#deps.clock.nowText(), metadata };
    return webhookChange("disabled", accountId, id, change);
  }

  async #release(claims: readonly Release[]) {
    const { database, metrics, now } = this.#deps;
    metrics.abandoned.inc(claims.length);
    for (const some of byAccounts(claims)) {
      const delays = some.map(({ delayS }) => delayS);
      await this.#untilDone(() => database.run(releaseClaims, [now(), ...columns(some), delays]));
    }
    return claims.map(() => ({ status: "fulfilled", value: undefined }) as const);
  }

  /** Not a loop of loop.ts: the attempts wait for the result, and the retries end with their leases. */
  async #untilDone<T>(ask: () => Promise<T>): Promise<T> {
    const until = performance.now() + this.#deps.keepTryingMs;
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (performance.now() > until) throw error;
      }
      await pause(RETRY_MS);
    }
  }

  #onFailure(error: unknown): void {
    this.#deps.metrics.failures.inc({ worker: "deliveries" });
    this.#deps.log.warn(
      { err: error },
      "failed to record webhook health: the next result records it",
    );
  }

  #onTimeout(error: unknown): void {
    this.#deps.metrics.failures.inc({ worker: "deliveries" });
    this.#deps.log.warn({ err: error }, "delivery results lost: the deliveries will be retried");
  }
}

/** Groups by as many accounts as a statement names, in a fixed order, so that replicas never deadlock. */
function byAccounts<C extends Claim>(given: readonly C[]): C[][] {
  const groups: C[][] = [];
  const accountIds = [...new Set(given.map(({ accountId }) => accountId))].toSorted();
  const byNumber = given.toSorted((a, b) => (BigInt(a.number) < BigInt(b.number) ? -1 : 1));
  for (let at = 0; at < accountIds.length; at += ACCOUNTS_PER_STATEMENT) {
    const named = new Set(accountIds.slice(at, at + ACCOUNTS_PER_STATEMENT));
    groups.push(byNumber.filter(({ accountId }) => named.has(accountId)));
  }
  return groups;
}

type Columns = [string[], string[], string[], string[], string[], string[]];

function columns(claims: readonly Claim[]): Columns {
  const accountIds = claims.map(({ accountId }) => accountId);
  return [
    [...new Set(accountIds)].toSorted(),
    accountIds,
    claims.map(({ webhookId }) => webhookId),
    claims.map(({ dueAt }) => dueAt),
    claims.map(({ number }) => number),
    claims.map(({ fence }) => fence),
  ];
}
