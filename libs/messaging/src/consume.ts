// Consumes notices: a durable JetStream consumer that all replicas of a service share, so that each message
// goes to one of them. Called by the dispatcher's serve.ts. A notice only says that there is something to
// read. It may come twice, late or never, so nothing but latency may depend on it. Consumer and stream are
// created again whenever the server has lost them.

import type { Logger } from "@annals/chassis";
import { setTimeout as pause } from "node:timers/promises";
import type { ConsumerMessages, JsMsg, NatsConnection } from "nats";
import type { Messaging } from "./connection.ts";
import { API_TIMEOUT_MS, ensureConsumer, ensureStream } from "./stream.ts";
import { decodeNotices, type Notice, STREAM } from "./subjects.ts";

export interface ConsumeOptions {
  /** Name of the consumer, one for each service: letters, digits, - and _. */
  readonly durable: string;
  /**
   * Called with each notice. It must not throw: nothing is redelivered, and the sweep recovers lost notices.
   */
  readonly onNotice: (notice: Notice) => void;
  readonly log: Logger;
}

export interface NoticeConsumer {
  /** Takes no more notices. */
  stop(): Promise<void>;
}

/** Messages that are requested ahead. The sweep recovers those that a crashed process had not handled. */
const MAX_AHEAD = 500;
/**
 * The next pull request is sent when this many messages of the last one are left. The server serves pull
 * requests round-robin, regardless of the client. By default a client sends the next at 75 %, so a busy
 * replica has several open, and a replica that joins gets few messages.
 */
const THRESHOLD_MESSAGES = 1;
/** How long one request for messages is valid; the server sends a heartbeat at half of it. */
const REQUEST_EXPIRES_MS = 10_000;
/** Between a failure and the next attempt. */
const RETRY_MS = 500;

/** Begins to consume, now or as soon as NATS can be reached, until `stop`. */
export function consumeNotices(messaging: Messaging, options: ConsumeOptions): NoticeConsumer {
  const stopping = new AbortController();
  const loop = consumeUntilStopped(messaging, options, stopping.signal);
  return {
    stop: () => {
      stopping.abort();
      return loop;
    },
  };
}

/** Not a loop of the chassis: a run lasts as long as its connection, and an outage is one log line. */
async function consumeUntilStopped(
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
      await consumeMessages(connection, messages, options, signal);
    } catch (error) {
      if (!isFailureLogged && !connection.isClosed())
        log.warn({ err: error }, "failed to consume notices");
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
  await ensureStream(connection, "updated", log);
  await ensureConsumer(connection, durable, log);
  const consumer = await connection
    .jetstream({ timeout: API_TIMEOUT_MS })
    .consumers.get(STREAM, durable);
  return consumer.consume({
    max_messages: MAX_AHEAD,
    threshold_messages: THRESHOLD_MESSAGES,
    expires: REQUEST_EXPIRES_MS,
    abort_on_missing_resource: true,
  });
}

/** Ends when the connection or the consumer is gone, or on `signal`. */
async function consumeMessages(
  connection: NatsConnection,
  messages: ConsumerMessages,
  options: ConsumeOptions,
  signal: AbortSignal,
): Promise<void> {
  const stop = (): void => messages.stop();
  signal.addEventListener("abort", stop, { once: true });
  // It never rejects: it resolves to the error.
  void connection.closed().then(stop);
  try {
    for await (const message of messages) {
      if (signal.aborted) break;
      handle(message, options);
    }
  } finally {
    signal.removeEventListener("abort", stop);
    messages.stop();
  }
}

function handle(message: JsMsg, { log, onNotice }: ConsumeOptions): void {
  const notices = decodeNotices(message.data);
  if (notices.length === 0) log.warn({ subject: message.subject }, "message contains no notice");
  for (const notice of notices) onNotice(notice);
}
