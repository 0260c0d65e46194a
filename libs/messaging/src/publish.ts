// Publishes notices after the fact. Called by producers once something is committed, from the request path,
// which never waits: a notice is noted, and a loop of its own awaits NATS. Notices of one account and kind
// that wait become one, with the newest position. What cannot be published is counted and dropped, because
// consumers sweep. It must never throw into a producer, and never hold more than its bounds.

import type { Logger } from "@annals/chassis";
import { ErrorCode, type NatsConnection, NatsError } from "nats";
import type { Messaging } from "./connection.ts";
import type { NoticeMetrics } from "./metrics.ts";
import { ensureStream } from "./stream.ts";
import { encodeNotice, messageIdOf, type Notice, STREAM, subjectOf } from "./subjects.ts";

export interface NoticePublisherOptions {
  readonly log: Logger;
  readonly metrics: NoticeMetrics;
}

/** Pairs of account and kind that wait; beyond it new ones are dropped. */
const MAX_WAITING = 10_000;
/** Publishes whose acknowledgement is awaited at one time. */
const MAX_IN_FLIGHT = 64;
/**
 * Between two publishes of one account and kind: under load many flushes become one notice, and whoever is
 * told waits at most this much longer. The first after a rest goes at once.
 */
const REST_MS = 20;
/** A publish that is not acknowledged within this time has failed. */
const PUBLISH_TIMEOUT_MS = 5_000;
/** Of a NatsError: nobody listens on the subject. */
const NO_RESPONDERS: string = ErrorCode.NoResponders;
/** How long `close` lets what waits go out. */
const CLOSE_TIMEOUT_MS = 2_000;

/** What producers are given: it never waits and never fails. */
export type Notices = Pick<NoticePublisher, "notify">;

export class NoticePublisher {
  readonly #messaging: Messaging;
  readonly #options: NoticePublisherOptions;
  readonly #waiting = new Map<string, Notice>();
  readonly #inFlight = new Set<string>();
  /** Until when each key rests, on the monotonic clock; in that order. */
  readonly #resting = new Map<string, number>();
  #restTimer: NodeJS.Timeout | undefined;
  #ensuring: Promise<void> | undefined;
  #failureLogged = false;
  #closed = false;
  #onIdle: (() => void) | undefined;

  constructor(messaging: Messaging, options: NoticePublisherOptions) {
    this.#messaging = messaging;
    this.#options = options;
  }

  /** Notes that there is more. Returns at once and never throws. */
  notify(notice: Notice): void {
    if (this.#closed || !this.#messaging.isConfigured) return;
    const key = `${notice.kind}/${notice.accountId}`;
    const earlier = this.#waiting.get(key);
    if (!earlier && this.#waiting.size >= MAX_WAITING) {
      this.#drop(notice, new Error(`${MAX_WAITING} notices wait already`));
      return;
    }
    if (!earlier || earlier.position < notice.position) this.#waiting.set(key, notice);
    this.#pump();
  }

  /** Takes nothing more, and resolves when what waited is out or has failed, or after 2 seconds. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#restTimer);
    this.#resting.clear();
    this.#pump();
    if (this.#inFlight.size === 0) return;
    const idle = Promise.withResolvers<void>();
    this.#onIdle = idle.resolve;
    const timer = setTimeout(idle.resolve, CLOSE_TIMEOUT_MS);
    await idle.promise;
    clearTimeout(timer);
  }

  /** One publish a key at a time: what is noted meanwhile becomes one. */
  #pump(): void {
    for (const [key, notice] of this.#waiting) {
      if (this.#inFlight.size >= MAX_IN_FLIGHT) return;
      if (this.#inFlight.has(key) || this.#resting.has(key)) continue;
      this.#waiting.delete(key);
      this.#inFlight.add(key);
      void this.#publish(notice).finally(() => {
        this.#inFlight.delete(key);
        this.#rest(key);
        this.#pump();
        if (this.#inFlight.size === 0) this.#onIdle?.();
      });
    }
  }

  #rest(key: string): void {
    if (this.#closed) return;
    this.#resting.set(key, performance.now() + REST_MS);
    this.#restTimer ??= setTimeout(() => this.#endRests(), REST_MS);
  }

  #endRests(): void {
    this.#restTimer = undefined;
    const now = performance.now();
    for (const [key, until] of this.#resting) {
      if (until > now) {
        this.#restTimer = setTimeout(() => this.#endRests(), Math.ceil(until - now));
        break;
      }
      this.#resting.delete(key);
    }
    this.#pump();
  }

  async #publish(notice: Notice): Promise<void> {
    const { connection } = this.#messaging;
    try {
      if (!connection) throw new Error("there is no connection to NATS");
      await publishOn(connection, notice).catch(async (error: unknown) => {
        if (!isNobodyThere(error)) throw error;
        // The server is there and the stream is not: it was deleted, or NATS lost its disk.
        await this.#ensureStream(connection);
        await publishOn(connection, notice);
      });
      this.#options.metrics.published.inc({ kind: notice.kind });
      this.#failureLogged = false;
    } catch (error) {
      this.#drop(notice, error);
    }
  }

  /** Once for all publishes that find the stream gone. */
  #ensureStream(connection: NatsConnection): Promise<void> {
    this.#ensuring ??= ensureStream(connection, this.#options.log).finally(() => {
      this.#ensuring = undefined;
    });
    return this.#ensuring;
  }

  /** Logged once, until a publish succeeds again. */
  #drop({ kind }: Notice, error: unknown): void {
    this.#options.metrics.failed.inc({ kind });
    if (this.#failureLogged) return;
    this.#failureLogged = true;
    this.#options.log.warn({ err: error }, "notices are not published: webhooks come late");
  }
}

async function publishOn(connection: NatsConnection, notice: Notice): Promise<void> {
  await connection
    .jetstream({ timeout: PUBLISH_TIMEOUT_MS })
    .publish(subjectOf(notice), encodeNotice(notice), {
      msgID: messageIdOf(notice),
      expect: { streamName: STREAM },
    });
}

function isNobodyThere(error: unknown): boolean {
  return error instanceof NatsError && error.code === NO_RESPONDERS;
}
