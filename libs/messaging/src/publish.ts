// Publishes notices after the fact. Called by producers once something is committed, from the request path,
// which never waits: a notice is noted, and rounds of their own await NATS. Notices of one account and kind
// that wait become one, with the newest position; those of many accounts share messages. What cannot be
// published is counted and dropped, because consumers sweep. It must never throw into a producer, and never
// hold more than its bounds.

import type { Logger } from "@annals/chassis";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { ErrorCode, type NatsConnection, NatsError } from "nats";
import type { Messaging } from "./connection.ts";
import type { NoticeMetrics } from "./metrics.ts";
import { ensureStream } from "./stream.ts";
import {
  encodeNotices,
  MAX_NOTICES,
  type Notice,
  type NoticeKind,
  STREAM,
  subjectOf,
} from "./subjects.ts";

export interface NoticePublisherOptions {
  readonly log: Logger;
  readonly metrics: NoticeMetrics;
}

/** Pairs of account and kind that wait for the next round; beyond it new ones are dropped. */
const MAX_WAITING = 10_000;
/**
 * From the begin of a round of messages to the next: under load many flushes of many accounts become one
 * message, and whoever is told waits at most this much longer. The first after a rest goes at once.
 */
const REST_MS = 20;
/**
 * A publish that is not acknowledged within this time has failed. The next round waits for it: no longer than
 * the sweep does that finds what is not told.
 */
const PUBLISH_TIMEOUT_MS = 2_000;
/** Of a NatsError: nobody listens on the subject. */
const NO_RESPONDERS: string = ErrorCode.NoResponders;
/** How long `close` lets what waits go out. */
const CLOSE_TIMEOUT_MS = 2_000;

/** Of one kind, at most MAX_NOTICES. */
interface Message {
  readonly kind: NoticeKind;
  readonly notices: readonly Notice[];
}

/** What producers are given: it never waits and never fails. */
export type Notices = Pick<NoticePublisher, "notify">;

export class NoticePublisher {
  readonly #messaging: Messaging;
  readonly #options: NoticePublisherOptions;
  readonly #waiting = new Map<string, Notice>();
  /** Aborted by `close`: there is no rest any more. */
  readonly #closing = new AbortController();
  /** While something waits, is under way or rests. */
  #rounds: Promise<void> | undefined;
  #ensuring: Promise<void> | undefined;
  #failureLogged = false;

  constructor(messaging: Messaging, options: NoticePublisherOptions) {
    this.#messaging = messaging;
    this.#options = options;
  }

  /** Notes that there is more. Returns at once and never throws. */
  notify(notice: Notice): void {
    if (this.#closing.signal.aborted || !this.#messaging.isConfigured) return;
    const key = `${notice.kind}/${notice.accountId}`;
    const earlier = this.#waiting.get(key);
    if (!earlier && this.#waiting.size >= MAX_WAITING) {
      this.#drop(
        { kind: notice.kind, notices: [notice] },
        new Error(`${MAX_WAITING} notices wait already`),
      );
      return;
    }
    if (!earlier || earlier.position < notice.position) this.#waiting.set(key, notice);
    this.#rounds ??= this.#publishRounds();
  }

  /** Takes nothing more, and resolves when what waited is out or has failed, or after 2 seconds. */
  async close(): Promise<void> {
    this.#closing.abort();
    const done = new AbortController();
    const { signal } = done;
    await Promise.race([this.#rounds, pause(CLOSE_TIMEOUT_MS, undefined, { signal })]);
    done.abort();
  }

  /** Until nothing waits. What is noted in one turn of the event loop goes in one round. */
  async #publishRounds(): Promise<void> {
    const { signal } = this.#closing;
    await nextTurn();
    while (this.#waiting.size > 0) {
      const rest = pause(REST_MS, undefined, { signal }).catch(() => {});
      await Promise.all(this.#takeMessages().map((message) => this.#publish(message)));
      await rest;
    }
    this.#rounds = undefined;
  }

  /** All that waits. */
  #takeMessages(): Message[] {
    const byKind = Map.groupBy(this.#waiting.values(), ({ kind }) => kind);
    this.#waiting.clear();
    return [...byKind].flatMap(([kind, notices]) =>
      Array.from({ length: Math.ceil(notices.length / MAX_NOTICES) }, (_, at) => ({
        kind,
        notices: notices.slice(at * MAX_NOTICES, (at + 1) * MAX_NOTICES),
      })),
    );
  }

  async #publish(message: Message): Promise<void> {
    const { connection } = this.#messaging;
    try {
      if (!connection) throw new Error("there is no connection to NATS");
      await publishOn(connection, message).catch(async (error: unknown) => {
        if (!isNobodyThere(error)) throw error;
        // The server is there and the stream is not: it was deleted, or NATS lost its disk.
        await this.#ensureStream(connection);
        await publishOn(connection, message);
      });
      this.#options.metrics.published.inc({ kind: message.kind }, message.notices.length);
      this.#failureLogged = false;
    } catch (error) {
      this.#drop(message, error);
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
  #drop({ kind, notices }: Message, error: unknown): void {
    this.#options.metrics.failed.inc({ kind }, notices.length);
    if (this.#failureLogged) return;
    this.#failureLogged = true;
    this.#options.log.warn({ err: error }, "notices are not published: webhooks come late");
  }
}

async function publishOn(connection: NatsConnection, { kind, notices }: Message): Promise<void> {
  await connection
    .jetstream({ timeout: PUBLISH_TIMEOUT_MS })
    .publish(subjectOf(kind), encodeNotices(notices), { expect: { streamName: STREAM } });
}

function isNobodyThere(error: unknown): boolean {
  return error instanceof NatsError && error.code === NO_RESPONDERS;
}
