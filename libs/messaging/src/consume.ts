// Consumes notices: a durable JetStream consumer that all replicas of a service share, so that each notice
// goes to one of them. Called by the dispatcher's serve.ts. A notice only says "look": it may come twice,
// late or never, so nothing may rest on it but the time of a look. Consumer and stream are made again
// whenever the server has lost them.

import type { Logger } from "@annals/chassis";
import { setTimeout as pause } from "node:timers/promises";
import type { ConsumerMessages, JsMsg, NatsConnection } from "nats";
import type { Messaging } from "./connection.ts";
import { API_TIMEOUT_MS, ensureConsumer, ensureStream } from "./stream.ts";
import { decodeNotice, type Notice, STREAM } from "./subjects.ts";

export interface ConsumeOptions {
  /** Name of the consumer, one a service: letters, digits, - and _. */
  readonly durable: string;
  /**
   * Called with each notice, up to 32 at a time. It is acknowledged when this resolves. When this rejects
   * the notice is given up and logged: the sweep makes up for it, and it must not keep a place that others
   * need.
   */
  readonly onNotice: (notice: Notice) => Promise<void> | void;
  readonly log: Logger;
}

export interface NoticeConsumer {
  /** Takes no more notices and resolves when those under way are done, or after 5 seconds. */
  stop(): Promise<void>;
}

/** Notices that `onNotice` works on at one time. */
const MAX_UNDER_WAY = 32;
/** Notices asked of the server ahead; what is not worked on within the consumer's ack wait comes again. */
const MAX_AHEAD = 64;
/** How long one request for notices stands; the server gives a sign of life at half of it. */
const REQUEST_EXPIRES_MS = 10_000;
/** Before trying again after a failure. */
const RETRY_MS = 500;
const STOP_TIMEOUT_MS = 5_000;

/** Begins to consume, now or as soon as NATS can be reached, until `stop`. */
export function consumeNotices(messaging: Messaging, options: ConsumeOptions): NoticeConsumer {
  const stopping = new AbortController();
  const work = new Work(options);
  const loop = consumeForEver(messaging, options, work, stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await loop;
      await work.settled(STOP_TIMEOUT_MS);
    },
  };
}

async function consumeForEver(
  messaging: Messaging,
  { durable, log }: ConsumeOptions,
  work: Work,
  signal: AbortSignal,
): Promise<void> {
  let isFailureLogged = false;
  while (!signal.aborted) {
    const connection = await messaging.connected(signal);
    if (!connection) return;
    try {
      const messages = await open(connection, durable, log);
      isFailureLogged = false;
      await consumeUntilEnd(connection, messages, work, signal);
    } catch (error) {
      if (!isFailureLogged && !connection.isClosed())
        log.warn({ err: error }, "notices are not consumed");
      isFailureLogged = true;
    }
    await pause(RETRY_MS, undefined, { signal }).catch(() => {});
  }
}

async function open(
  connection: NatsConnection,
  durable: string,
  log: Logger,
): Promise<ConsumerMessages> {
  await ensureStream(connection, log);
  await ensureConsumer(connection, durable, log);
  const consumer = await connection
    .jetstream({ timeout: API_TIMEOUT_MS })
    .consumers.get(STREAM, durable);
  return consumer.consume({
    max_messages: MAX_AHEAD,
    expires: REQUEST_EXPIRES_MS,
    abort_on_missing_resource: true,
  });
}

/**
 * Ends when the connection or the consumer is gone, or on `signal`. What was asked ahead and not begun
 * comes again.
 */
async function consumeUntilEnd(
  connection: NatsConnection,
  messages: ConsumerMessages,
  work: Work,
  signal: AbortSignal,
): Promise<void> {
  const stop = (): void => messages.stop();
  signal.addEventListener("abort", stop, { once: true });
  void connection.closed().then(stop);
  try {
    for await (const message of messages) {
      if (signal.aborted) break;
      await work.begin(message);
    }
  } finally {
    signal.removeEventListener("abort", stop);
    messages.stop();
  }
}

/** The notices under way. */
class Work {
  readonly #options: ConsumeOptions;
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: ConsumeOptions) {
    this.#options = options;
  }

  /** Resolves when there is room for one more. */
  async begin(message: JsMsg): Promise<void> {
    const one: Promise<void> = this.#carry(message).finally(() => this.#underWay.delete(one));
    this.#underWay.add(one);
    if (this.#underWay.size >= MAX_UNDER_WAY) await Promise.race(this.#underWay);
  }

  async settled(timeoutMs: number): Promise<void> {
    const timeout = new AbortController();
    await Promise.race([
      Promise.all(this.#underWay),
      pause(timeoutMs, undefined, { signal: timeout.signal }).catch(() => {}),
    ]);
    timeout.abort();
  }

  async #carry(message: JsMsg): Promise<void> {
    const { log, onNotice } = this.#options;
    try {
      const notice = decodeNotice(message.data);
      if (notice) await onNotice(notice);
      else log.warn({ subject: message.subject }, "message is no notice");
      message.ack();
    } catch (error) {
      log.warn({ err: error }, "notice given up");
      message.term();
    }
  }
}
