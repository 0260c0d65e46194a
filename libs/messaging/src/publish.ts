// Publishes notices. Called by producers on the request path once something is committed. The request never
// waits: a notice is queued, and rounds in the background publish the queue. Queued notices of one account
// and kind become one, with the newest position; those of many accounts share messages. What cannot be
// published is counted and dropped, because the consumers' sweeps recover it. It must never throw into a
// producer, and never hold more than its bounds.

import {
  activeSpan,
  endWith,
  inTrace,
  type Logger,
  PRODUCER,
  remoteSpan,
  startShared,
} from "@annals/chassis";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { ErrorCode, type NatsConnection, NatsError } from "nats";
import type { Messaging } from "./connection.ts";
import type { NoticeMetrics } from "./metrics.ts";
import { ensureStream } from "./stream.ts";
import {
  encodeNotices,
  MAX_NOTICES,
  MAX_TRACED_NOTICES,
  MAX_TRACES,
  type Notice,
  type NoticeKind,
  type NoticeTrace,
  STREAM,
  subjectOf,
} from "./subjects.ts";

export interface NoticePublisherOptions {
  readonly log: Logger;
  readonly metrics: NoticeMetrics;
}

/** Pairs of account and kind that wait for the next round; beyond it further ones are dropped. */
const MAX_WAITING = 10_000;
/**
 * Time from the start of a round of messages to the next: under load many flushes of many accounts become one
 * message, and a notice is at most this much later. After a pause the first goes at once.
 */
const ROUND_INTERVAL_MS = 50;
/**
 * A publish that is not acknowledged within this time has failed. The next round waits for it, but no longer
 * than until the sweep would find the same.
 */
const PUBLISH_TIMEOUT_MS = 2_000;
/** Code of the NatsError for a subject without a stream. */
const NO_RESPONDERS: string = ErrorCode.NoResponders;
/** How long `close` waits for the queue to be published. */
const CLOSE_TIMEOUT_MS = 2_000;

/** Notices of one kind, at most MAX_NOTICES. */
interface Message {
  readonly kind: NoticeKind;
  readonly notices: readonly Notice[];
}

/** The part that producers use: it never waits and never fails. */
export type Notices = Pick<NoticePublisher, "notify">;

export class NoticePublisher {
  readonly #messaging: Messaging;
  readonly #options: NoticePublisherOptions;
  readonly #waiting = new Map<string, Notice>();
  /** Aborted by `close`: rounds follow each other at once. */
  readonly #closing = new AbortController();
  /** Defined while rounds are in progress. */
  #rounds: Promise<void> | undefined;
  #ensuring: Promise<void> | undefined;
  #failureLogged = false;

  constructor(messaging: Messaging, options: NoticePublisherOptions) {
    this.#messaging = messaging;
    this.#options = options;
  }

  /**
   * Queues a notice, for `count` new positions. If the present request is recorded, its consumer learns of
   * which trace they are a part. Returns at once and never throws.
   */
  notify(notice: Notice, count = 1): void {
    if (this.#closing.signal.aborted || !this.#messaging.isConfigured) return;
    const key = `${notice.kind}/${notice.accountId}`;
    const earlier = this.#waiting.get(key);
    if (!earlier && this.#waiting.size >= MAX_WAITING) {
      this.#drop(
        { kind: notice.kind, notices: [notice] },
        new Error(`${MAX_WAITING} notices are queued already`),
      );
      return;
    }
    const traces = tracesOf(earlier, notice, count);
    const newest = earlier && earlier.position > notice.position ? earlier : notice;
    this.#waiting.set(key, traces ? { ...newest, traces } : newest);
    this.#rounds ??= inTrace(undefined, () => this.#publishRounds());
  }

  /** Queues nothing more. Resolves when the queue is published or has failed, or after 2 seconds. */
  async close(): Promise<void> {
    this.#closing.abort();
    const done = new AbortController();
    const { signal } = done;
    await Promise.race([this.#rounds, pause(CLOSE_TIMEOUT_MS, undefined, { signal })]);
    done.abort();
  }

  /**
   * Until the queue is empty. Notices of one turn of the event loop go in one round. Not a loop of the
   * chassis: it begins with the first notice and ends with the last, and an outage is one log line.
   */
  async #publishRounds(): Promise<void> {
    const { signal } = this.#closing;
    await nextTurn();
    while (this.#waiting.size > 0) {
      const interval = pause(ROUND_INTERVAL_MS, undefined, { signal }).catch(() => {});
      await Promise.all(this.#takeMessages().map((message) => this.#publish(message)));
      await interval;
    }
    this.#rounds = undefined;
  }

  /** Empties the queue. */
  #takeMessages(): Message[] {
    const byKind = Map.groupBy(this.#waiting.values(), ({ kind }) => kind);
    this.#waiting.clear();
    return [...byKind].flatMap(([kind, notices]) => {
      const isTraced = notices.some(({ traces }) => traces);
      const size = isTraced ? MAX_TRACED_NOTICES : MAX_NOTICES;
      return Array.from({ length: Math.ceil(notices.length / size) }, (_, at) => ({
        kind,
        notices: notices.slice(at * size, (at + 1) * size),
      }));
    });
  }

  async #publish(message: Message): Promise<void> {
    const { connection } = this.#messaging;
    try {
      if (!connection) throw new Error("there is no connection to NATS");
      await publishOn(connection, message).catch(async (error: unknown) => {
        if (!isWithoutStream(error)) throw error;
        // The server has no stream: it was deleted, or NATS lost its disk.
        await this.#ensureStream(connection);
        await publishOn(connection, message);
      });
      this.#options.metrics.published.inc({ kind: message.kind }, message.notices.length);
      this.#failureLogged = false;
    } catch (error) {
      this.#drop(message, error);
    }
  }

  /** Once for all publishes that find no stream. */
  #ensureStream(connection: NatsConnection): Promise<void> {
    this.#ensuring ??= ensureStream(connection, "made", this.#options.log).finally(() => {
      this.#ensuring = undefined;
    });
    return this.#ensuring;
  }

  /** Logged once, until a publish succeeds again. */
  #drop({ kind, notices }: Message, error: unknown): void {
    this.#options.metrics.failed.inc({ kind }, notices.length);
    if (this.#failureLogged) return;
    this.#failureLogged = true;
    this.#options.log.warn({ err: error }, "failed to publish notices: webhooks are delayed");
  }
}

async function publishOn(connection: NatsConnection, { kind, notices }: Message): Promise<void> {
  const subject = subjectOf(kind);
  const origins = notices.flatMap(({ traces = [] }) => traces.map(remoteSpan));
  const span = startShared(`send ${subject}`, origins, {
    kind: PRODUCER,
    attributes: {
      "messaging.system": "nats",
      "messaging.operation.name": "publish",
      "messaging.operation.type": "send",
      "messaging.destination.name": subject,
      "messaging.batch.message_count": notices.length,
    },
  });
  const published = connection
    .jetstream({ timeout: PUBLISH_TIMEOUT_MS })
    .publish(subject, encodeNotices(notices), { expect: { streamName: STREAM } });
  await endWith(span, published);
}

/** Those that waited already, and the one of the present request. Undefined if none is recorded. */
function tracesOf(
  earlier: Notice | undefined,
  { position }: Notice,
  count: number,
): readonly NoticeTrace[] | undefined {
  const span = activeSpan();
  const waiting = earlier?.traces;
  if (!span || (waiting && waiting.length >= MAX_TRACES)) return waiting;
  const { spanId, traceId } = span.spanContext();
  const trace = { first: position - BigInt(count) + 1n, last: position, traceId, spanId };
  return [...(waiting ?? []), trace];
}

function isWithoutStream(error: unknown): boolean {
  return error instanceof NatsError && error.code === NO_RESPONDERS;
}
