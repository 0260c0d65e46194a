// Records reads in the operator's audit: counts them, and hands the entries of each minute over to the ledger
// when it is over, and what is left when the gateway stops. Built by serve.ts. No request waits for it. What
// waits for the ledger is bounded: beyond that the oldest entries are dropped, counted and logged. A crash
// loses what was not handed over.

import { type Closers, type Counter, type Logger, startResting } from "@annals/chassis";
import type { Clock } from "@annals/contract";
import type { LedgerService } from "@annals/proto/ledger";
import { unlessAborted } from "@annals/rpc";
import type { Client } from "@connectrpc/connect";
import { randomUUID } from "node:crypto";
import { MAX_ROWS, type Read, ReadCounts } from "./read-counts.ts";
import { entryOf, type ReadEntry } from "./read-entries.ts";

const INTERVAL_MS = 1_000;
/** Entries of one call. */
const PAGE = 100;
/** Entries that wait: those of ten minutes with as many rows as a minute can have. */
export const MAX_WAITING = 10 * MAX_ROWS;
/** The ledger refuses a time of more than a day ago. */
const MAX_AGE_MS = 23 * 3_600_000;
/** For the last entries: the gateway has no more requests, and the ledger may be stopping, too. */
const LAST_CALL_MS = 3_000;

export interface ReadAuditDeps {
  readonly clock: Clock;
  readonly ledger: Pick<Client<typeof LedgerService>, "recordAuditEvents">;
  readonly log: Logger;
  /** Counts reads that no entry tells of. */
  readonly lost: Pick<Counter, "inc">;
  readonly newEntryId: () => string;
}

export class ReadAudit {
  readonly #counts: ReadCounts;
  readonly #deps: ReadAuditDeps;
  #waiting: ReadEntry[] = [];

  constructor(deps: ReadAuditDeps) {
    this.#deps = deps;
    this.#counts = new ReadCounts(deps.clock);
  }

  record(read: Read): void {
    this.#counts.record(read);
  }

  /** Whether nothing waits, not even for the end of its minute. */
  get isEmpty(): boolean {
    return this.#counts.isEmpty && this.#waiting.length === 0;
  }

  /**
   * Hands over what waits, of minutes that are over or all of it. Rejects if anything could not be stored,
   * which the next call sends again under the same id.
   */
  async handOver({
    all,
    ...options
  }: {
    readonly all: boolean;
    readonly signal?: AbortSignal;
    readonly timeoutMs?: number;
  }): Promise<void> {
    const rows = this.#counts.take({ all });
    this.#waiting.push(...rows.map((row) => entryOf(row, this.#deps.newEntryId())));
    this.#dropLate();
    const kept: ReadEntry[] = [];
    const sending = this.#waiting;
    for (let from = 0; from < sending.length; from += PAGE) {
      const page = sending.slice(from, from + PAGE);
      const entries = page.map(({ accountId, event, id }) => ({ accountId, event, id }));
      const call = this.#deps.ledger.recordAuditEvents({ entries }, options);
      const { storedIds } = await unlessAborted(call, options.signal).catch((error: unknown) => {
        this.#waiting = [...kept, ...sending.slice(from)];
        throw error;
      });
      const stored = new Set(storedIds);
      kept.push(...page.filter(({ id }) => !stored.has(id)));
    }
    this.#waiting = kept;
    if (kept.length > 0)
      throw new Error(`the ledger has not stored ${kept.length} entries of reads`);
  }

  /** Hands over all of it. What cannot be stored now is lost. */
  async close(): Promise<void> {
    try {
      await this.handOver({ all: true, timeoutMs: LAST_CALL_MS });
    } finally {
      this.#lose(this.#waiting);
      this.#waiting = [];
    }
  }

  #dropLate(): void {
    const { clock } = this.#deps;
    const oldest = Date.parse(clock.nowText()) - MAX_AGE_MS;
    const inTime = this.#waiting.filter(({ occurredAt }) => Date.parse(occurredAt) > oldest);
    const kept = inTime.slice(-MAX_WAITING);
    if (kept.length === this.#waiting.length) return;
    const isKept = new Set(kept);
    this.#lose(this.#waiting.filter((entry) => !isKept.has(entry)));
    this.#waiting = kept;
  }

  #lose(entries: readonly ReadEntry[]): void {
    if (entries.length === 0) return;
    const reads = entries.reduce((sum, entry) => sum + entry.reads, 0);
    this.#deps.lost.inc(reads);
    const fields = { entries: entries.length, reads };
    this.#deps.log.error(fields, "entries of reads could not be recorded and are lost");
  }
}

/**
 * Starts it. It hands over each second what is due, and all of it when it is closed. Without reads it rests.
 */
export function openReadAudit(
  deps: Omit<ReadAuditDeps, "lost" | "newEntryId"> & {
    readonly failures: Counter<"worker">;
    readonly readsLost: ReadAuditDeps["lost"];
  },
  closers: Closers,
): Pick<ReadAudit, "record"> {
  const { failures, log, readsLost: lost } = deps;
  const audit = new ReadAudit({ ...deps, lost, newEntryId: randomUUID });
  const loop = startResting({
    name: "read_audit",
    log,
    failures,
    delayMs: INTERVAL_MS,
    run: async (signal) => {
      await audit.handOver({ all: false, signal });
      return audit.isEmpty ? Infinity : INTERVAL_MS;
    },
  });
  closers.add("read audit", audit, async () => {
    await loop.stop();
    await audit.close();
  });
  return {
    record: (read) => {
      audit.record(read);
      loop.expectWork();
    },
  };
}
