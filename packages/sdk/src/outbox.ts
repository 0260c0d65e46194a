// `@annals/sdk/outbox`: events in the application's own transaction. Rolled back: never recorded. Committed:
// recorded once. For `pg`, and any client whose query() has its form.

import { AnnalsError } from "./annals-error.ts";
import type { Drop } from "./batch.ts";
import { withContext } from "./event-context.ts";
import { jsonOf } from "./json-text.ts";
import { countDropped, number } from "./outbox/numbers.ts";
import {
  type ConnectionPool,
  deleteBatch,
  insert,
  mark,
  type Marked,
  type Queryable,
  refuse,
  touchBatch,
  unmark,
  unmarkOwn,
} from "./outbox/statements.ts";
import { isRefused, retryDelay } from "./retry.ts";
import { tell } from "./tell.ts";
import type { NewEvent } from "./types.ts";

/** For a migration of the application. */
export const OUTBOX_SCHEMA = `CREATE TABLE annals_outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event json NOT NULL,
  batch text,
  claimed_at timestamptz
);
CREATE INDEX annals_outbox_batch ON annals_outbox (batch) WHERE batch IS NOT NULL;
CREATE TABLE annals_outbox_refused (
  id bigint PRIMARY KEY,
  event json NOT NULL,
  reason text NOT NULL,
  error text NOT NULL,
  refused_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE annals_outbox_producers (
  id text PRIMARY KEY,
  n bigint NOT NULL,
  dropped bigint NOT NULL
);`;

const KEY_LIFETIME_MS = 23 * 60 * 60 * 1_000;
const ERROR_LENGTH = 1_000;

/** Attempts without success that are logged. */
const WARN_FIRST = 5;
const WARN_EACH = 10;

/** What of {@link Annals} the outbox needs. */
export interface StoresEvents {
  storeBatch(texts: readonly string[], idempotencyKey: string): Promise<unknown>;
}

export interface OutboxOptions {
  readonly annals: StoresEvents;
  /** A `pg.Pool` of the database with the tables. */
  readonly pool: ConnectionPool;
  /**
   * Numbers the committed events in `context.producer`, so that `annals-verify --producers` finds missing
   * ones.
   */
  readonly producer?: string;
  /** At most 1,000 and 4 MB, by default 500 and 1,000,000. */
  readonly batchEvents?: number;
  readonly batchBytes?: number;
  /** How long run() waits when there is nothing to send. By default 1,000. */
  readonly pollMs?: number;
  /** Called when events were refused or are unconfirmed, and moved. By default it is logged. */
  readonly onDrop?: (drop: Drop) => void;
  /**
   * Called for each failed attempt, of the service or of the database, that is repeated. By default every
   * tenth is logged, from the fifth on.
   */
  readonly onRetry?: (retry: { error: unknown; attempt: number; delayMs: number }) => void;
}

const DEFAULTS = { batchEvents: 500, batchBytes: 1_000_000, pollMs: 1_000 };

export class Outbox {
  readonly #options: OutboxOptions & typeof DEFAULTS;
  /** Halved while the service refuses batches without naming an event. */
  #most: number;

  constructor(options: OutboxOptions) {
    this.#options = { ...DEFAULTS, ...options };
    this.#most = this.#options.batchEvents;
  }

  /**
   * Adds an event to a transaction that the caller has begun, and commits or rolls back. The event has what
   * `@annals/sdk/context` has set here.
   */
  async add(transaction: Queryable, event: NewEvent): Promise<void> {
    const occurredAt = event.occurred_at ?? new Date().toISOString();
    await insert(transaction, jsonOf({ ...withContext(event), occurred_at: occurredAt }));
  }

  /**
   * Sends what is committed, until the signal is aborted and the attempt under way has ended. Several
   * processes may run it.
   */
  async run(signal: AbortSignal): Promise<void> {
    for (let attempt = 1; !signal.aborted;) {
      try {
        if (!(await this.sendBatch(signal))) await wait(this.#options.pollMs, signal);
        attempt = 1;
      } catch (error) {
        if (signal.aborted) return;
        await wait(this.#delay(error, attempt), signal);
        attempt += 1;
      }
    }
  }

  /** Sends one batch until it has an outcome. False if there is none to send. */
  async sendBatch(signal: AbortSignal): Promise<boolean> {
    const marked = await this.#mark();
    if (marked === undefined) return false;
    let isUnknown = !marked.isNew;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      if (isUnknown && Date.now() - timeOf(marked.batch) > KEY_LIFETIME_MS) {
        await this.#move(marked, marked.rows, "unconfirmed", undefined);
        return true;
      }
      try {
        await this.#send(marked);
        break;
      } catch (error) {
        if (AnnalsError.is(error, "validation_error")) return this.#sendValid(marked, error);
        // Nothing of it is stored, so its rows need not wait for this relay.
        if (isRefused(error) && !isUnknown && (await unmarkOwn(this.#options.pool, marked)))
          throw error;
        isUnknown = true;
        await wait(this.#delay(error, attempt), signal);
        await touchBatch(this.#options.pool, marked.batch);
      }
    }
    return true;
  }

  #delay(error: unknown, attempt: number): number {
    const { onRetry = logRetry } = this.#options;
    const delayMs = retryDelay(error, attempt, Math.random());
    tell(() => onRetry({ error, attempt, delayMs }));
    return delayMs;
  }

  async #send({ batch, rows }: Marked): Promise<void> {
    const texts = rows.map(({ event }) => event);
    await this.#options.annals.storeBatch(texts, batch);
    await deleteBatch(this.#options.pool, batch);
    this.#most = this.#options.batchEvents;
  }

  async #mark(): Promise<Marked | undefined> {
    const { batchBytes: bytes, pool, producer } = this.#options;
    const { rows } = await pool.query("SELECT 1 FROM annals_outbox LIMIT 1");
    if (rows.length === 0) return undefined;
    const batch = `${Date.now()}-${crypto.randomUUID()}`;
    return this.#inTransaction(async (connection) => {
      const marked = await mark(connection, batch, { events: this.#most, bytes });
      if (!marked?.isNew || producer === undefined) return marked;
      return { ...marked, rows: await number(connection, producer, marked.rows) };
    });
  }

  async #inTransaction<Result>(work: (connection: Queryable) => Promise<Result>): Promise<Result> {
    const connection = await this.#options.pool.connect();
    let isBroken = true;
    // Without a listener, its end between two statements ends the process. The next statement fails.
    const ignore = (): void => {};
    connection.on?.("error", ignore);
    try {
      await connection.query("BEGIN");
      const result = await work(connection);
      await connection.query("COMMIT");
      isBroken = false;
      return result;
    } finally {
      connection.off?.("error", ignore);
      connection.release(isBroken);
    }
  }

  /** Nothing of a refused batch is stored. Moves the rows at fault, and sends the others in another batch. */
  async #sendValid(marked: Marked, error: AnnalsError): Promise<boolean> {
    const { batch, rows } = marked;
    const named = new Set(error.details.map(({ field }) => /^events\[(\d+)\]/.exec(field)?.[1]));
    const faulty = rows.filter((_, at) => rows.length === 1 || named.has(String(at)));
    if (faulty.length > 0) await this.#move(marked, faulty, "refused", error);
    else {
      this.#most = Math.ceil(rows.length / 2);
      await unmark(this.#options.pool, batch);
    }
    return true;
  }

  async #move(
    { batch }: Marked,
    rows: Marked["rows"],
    reason: "refused" | "unconfirmed",
    error: AnnalsError | undefined,
  ): Promise<void> {
    const { onDrop = logDrop, producer } = this.#options;
    const ids = rows.map(({ id }) => id);
    const why = (error?.message ?? "no response").slice(0, ERROR_LENGTH);
    await this.#inTransaction(async (connection) => {
      await refuse(connection, batch, ids, reason, why);
      if (producer !== undefined) await countDropped(connection, producer, rows.length);
    });
    const events = rows.map(({ event }) => JSON.parse(event) as NewEvent);
    tell(() => onDrop({ reason, events, error }));
  }
}

/** The id of a batch begins with the time of its first attempt. */
function timeOf(batch: string): number {
  return Number(batch.split("-", 1)[0]);
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}

/** A wrong key does not stay unnoticed: the fifth attempt fails after some eight seconds. */
function logRetry({ attempt, error }: { attempt: number; error: unknown }): void {
  if (attempt % WARN_EACH !== WARN_FIRST) return;
  // oxlint-disable-next-line no-console -- no callback is set
  console.warn(`annals: the outbox waits, attempts fail: ${String(error)}`);
}

function logDrop({ events, reason }: Drop): void {
  // oxlint-disable-next-line no-console -- nothing is moved silently, even if no callback is set
  console.error(`annals: ${events.length} events were moved to annals_outbox_refused (${reason})`);
}
