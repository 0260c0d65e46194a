// Consumes notices: a durable JetStream consumer that all replicas of a service share, so that each message
// goes to one of them. Called by the dispatcher's serve.ts. A notice only says "look": it may come twice,
// late or never, so nothing may rest on it but the time of a look. Consumer and stream are made again
// whenever the server has lost them.

import type { Logger } from "@annals/chassis";
import { setTimeout as pause } from "node:timers/promises";
import type { ConsumerMessages, JsMsg, NatsConnection } from "nats";
import type { Messaging } from "./connection.ts";
import { API_TIMEOUT_MS, ensureConsumer, ensureStream } from "./stream.ts";
import { decodeNotices, type Notice, STREAM } from "./subjects.ts";

export interface ConsumeOptions {
  /** Name of the consumer, one a service: letters, digits, - and _. */
  readonly durable: string;
  /**
   * Called with each notice. It only takes note: there is no second try, the sweep makes up for what is lost.
   */
  readonly onNotice: (notice: Notice) => void;
  readonly log: Logger;
}

export interface NoticeConsumer {
  /** Takes no more notices. */
  stop(): Promise<void>;
}

/**
 * Messages asked of the server ahead. What was asked and not seen when a process dies is found by the sweep.
 */
const MAX_AHEAD = 500;
/** How long one request for messages stands; the server gives a sign of life at half of it. */
const REQUEST_EXPIRES_MS = 10_000;
/** Before trying again after a failure. */
const RETRY_MS = 500;

/** Begins to consume, now or as soon as NATS can be reached, until `stop`. */
export function consumeNotices(messaging: Messaging, options: ConsumeOptions): NoticeConsumer {
  const stopping = new AbortController();
  const loop = consumeForEver(messaging, options, stopping.signal);
  return {
    stop: () => {
      stopping.abort();
      return loop;
    },
  };
}

async function consumeForEver(
  messaging: Messaging,
  options: ConsumeOptions,
  signal: AbortSignal,
): Promise<void> {
  const { durable, log } = options;
  let isFailureLogged = false;
  while (!signal.aborted) {
    const connection = await messaging.connected(signal);
    if (!connection) return;
    try {
      const messages = await open(connection, durable, log);
      isFailureLogged = false;
      await consumeUntilEnd(connection, messages, options, signal);
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

/** Ends when the connection or the consumer is gone, or on `signal`. */
async function consumeUntilEnd(
  connection: NatsConnection,
  messages: ConsumerMessages,
  options: ConsumeOptions,
  signal: AbortSignal,
): Promise<void> {
  const stop = (): void => messages.stop();
  signal.addEventListener("abort", stop, { once: true });
  void connection.closed().then(stop);
  try {
    for await (const message of messages) {
      if (signal.aborted) break;
      take(message, options);
    }
  } finally {
    signal.removeEventListener("abort", stop);
    messages.stop();
  }
}

function take(message: JsMsg, { log, onNotice }: ConsumeOptions): void {
  const notices = decodeNotices(message.data);
  if (notices.length === 0) log.warn({ subject: message.subject }, "message holds no notice");
  for (const notice of notices) onNotice(notice);
}
