// Clients that append single events over HTTP, many at a time, and remember of each what was sent and what
// came back. Called by the tests of this folder; what they remember is what consistency.ts compares with the
// chain. It must never send an event twice on its own: a retry is asked for, and only of what has an
// idempotency key.

import type { Answer, HttpClient } from "@annals/testing";
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

/** What a 201 said. */
export interface StoredAnswer {
  readonly id: string;
  readonly sequence: number;
  readonly hash: string;
  readonly previousHash: string;
  readonly isReplay: boolean;
}

/** One try to store an event, and what came of it: one of the first three. */
export interface Outcome {
  /** It was answered with 201. */
  readonly stored?: StoredAnswer;
  /** It was answered with anything else. */
  readonly refused?: Answer;
  /** Why no answer came: the connection was refused, or lost, or the time was up. */
  readonly unanswered?: string;
  /** `performance.now()` when it was sent, and how long it took. */
  readonly sentAt: number;
  readonly tookMs: number;
}

/** One event that was to be stored. */
export interface SentAppend {
  /** From 0, in the order of the first tries. */
  readonly n: number;
  /** Stands in the event's metadata and in no other event. */
  readonly marker: string;
  readonly idempotencyKey: string | undefined;
  /** In the order of the tries; empty while the first is in flight. */
  readonly outcomes: Outcome[];
}

export interface LoadOptions {
  /** The events go to these in turn. */
  readonly clients: readonly Pick<HttpClient, "post">[];
  /** Whether the n-th event, from 0, has an idempotency key; by default every second one. */
  readonly isIdempotent?: (n: number) => boolean;
  /** Called after each try. */
  readonly onOutcome?: (append: SentAppend, outcome: Outcome) => void;
}

/**
 * The longest deadline of a request is 10 s for each of two calls. What has no answer by then has outlived
 * it, and counts as a fault of its own.
 */
const ANSWER_WITHIN_MS = 25_000;
export const LATE = "no answer in time";

/** A retry waits this long for the part that is away, and this many are sent at a time. */
const RETRY_PAUSE_MS = 50;
const RETRIES_AT_A_TIME = 32;
const RETRY_FOR_MS = 60_000;
/** A writer that was refused waits this long, as a client does; else it would fill the log with refusals. */
const REFUSED_PAUSE_MS = 20;

/** Whether some try was answered with 201. */
export const isAcknowledged = ({ outcomes }: SentAppend): boolean =>
  outcomes.some(({ stored }) => stored !== undefined);

export class Load {
  readonly appends: SentAppend[] = [];
  readonly #options: LoadOptions;
  /** Part of every marker, so that two loads on one chain do not meet. */
  readonly #mark = randomBytes(4).toString("hex");
  #writers: Promise<unknown> | undefined;
  #isStopped = false;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** Sends `count` events at once and resolves when each was answered or lost. */
  async burst(count: number): Promise<SentAppend[]> {
    const appends = Array.from({ length: count }, () => this.#next());
    await Promise.all(appends.map((append) => this.send(append)));
    return appends;
  }

  /** Keeps `writers` clients busy, each with one event in flight, until `stop`. */
  start(writers: number): void {
    this.#isStopped = false;
    this.#writers = Promise.all(Array.from({ length: writers }, () => this.#write()));
  }

  /** Resolves when the last event in flight was answered or lost. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#writers;
  }

  /** One event. */
  async one(): Promise<Outcome> {
    return this.send(this.#next());
  }

  /** Sends an event, the same again when it was sent before. */
  async send(append: SentAppend): Promise<Outcome> {
    const { n, marker, idempotencyKey, outcomes } = append;
    const { clients, onOutcome } = this.#options;
    // A retry goes to the next gateway.
    const client = clients[(n + outcomes.length) % clients.length];
    if (client === undefined) throw new Error("there is no client");
    const headers = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
    const outcome = await timed(() => client.post("/v1/events", bodyOf(marker), { headers }));
    outcomes.push(outcome);
    onOutcome?.(append, outcome);
    return outcome;
  }

  /**
   * Sends what was not acknowledged and has an idempotency key again, with the same key and body, until it
   * is. Resolves to those that were sent again; fails when one is not acknowledged in time.
   */
  async retryUnacknowledged(): Promise<SentAppend[]> {
    const open = this.appends.filter(
      (append) => append.idempotencyKey !== undefined && !isAcknowledged(append),
    );
    const deadline = performance.now() + RETRY_FOR_MS;
    const waiting = [...open];
    const retry = async () => {
      for (let append = waiting.pop(); append !== undefined; append = waiting.pop()) {
        while (!(await this.send(append)).stored) {
          if (performance.now() > deadline) throw new Error(`${append.marker} was never stored`);
          await pause(RETRY_PAUSE_MS);
        }
      }
    };
    await Promise.all(Array.from({ length: RETRIES_AT_A_TIME }, retry));
    return open;
  }

  async #write(): Promise<void> {
    while (!this.#isStopped) {
      const outcome = await this.one();
      if (!outcome.stored) await pause(REFUSED_PAUSE_MS);
    }
  }

  #next(): SentAppend {
    const n = this.appends.length;
    const isIdempotent = this.#options.isIdempotent ?? ((at: number) => at % 2 === 1);
    const marker = `${this.#mark}-${n}`;
    const append = {
      n,
      marker,
      idempotencyKey: isIdempotent(n) ? `key of ${marker}` : undefined,
      outcomes: [],
    };
    this.appends.push(append);
    return append;
  }
}

function bodyOf(marker: string): object {
  return {
    action: "faults.append",
    actor: { id: `writer of ${marker}`, type: "service" },
    metadata: { marker },
  };
}

async function timed(ask: () => Promise<Answer>): Promise<Outcome> {
  const sentAt = performance.now();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(LATE)), ANSWER_WITHIN_MS);
  try {
    const answer = await Promise.race([ask(), late]);
    const seen = answer.status === 201 ? { stored: storedIn(answer) } : { refused: answer };
    return { ...seen, sentAt, tookMs: performance.now() - sentAt };
  } catch (error) {
    const unanswered = error instanceof Error ? error.message : String(error);
    return { unanswered, sentAt, tookMs: performance.now() - sentAt };
  } finally {
    clearTimeout(timer);
  }
}

function storedIn({ headers, body }: Answer): StoredAnswer {
  return {
    id: body.data.id,
    sequence: body.data.sequence_number,
    hash: body.data.hash,
    previousHash: body.data.previous_hash,
    isReplay: headers["idempotent-replayed"] === "true",
  };
}
