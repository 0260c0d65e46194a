// The JetStream stream of notices, and its consumers: created if they are missing, updated by the
// consumer if they differ from the configuration here, and read back, because an old server silently
// ignores options that it does not know. Called when a connection opens and whenever the server reports
// that the stream is gone. It must never touch a stream of another name.

import type { Logger } from "@annals/chassis";
import {
  AckPolicy,
  type ConsumerConfig,
  DeliverPolicy,
  DiscardPolicy,
  type JetStreamManager,
  nanos,
  type NatsConnection,
  NatsError,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "nats";
import { ALL_SUBJECTS, STREAM } from "./subjects.ts";

const MINUTE_MS = 60_000;
const MIB = 1024 * 1024;

/**
 * A message of one notice takes about 160 bytes: 64 MiB are 400,000 of them. The oldest are discarded first.
 */
const STREAM_CONFIG = {
  name: STREAM,
  subjects: [ALL_SUBJECTS],
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  discard: DiscardPolicy.Old,
  max_age: nanos(60 * MINUTE_MS),
  max_bytes: 64 * MIB,
  max_msg_size: 4 * 1024,
} satisfies Partial<StreamConfig>;

/** For one request to the server. */
export const API_TIMEOUT_MS = 5_000;

/**
 * Creates the stream, and for its consumer updates it: a publisher has no right to. Logs the options that the
 * server does not keep.
 */
export async function ensureStream(
  connection: NatsConnection,
  how: "made" | "updated",
  log: Logger,
): Promise<void> {
  const manager = await managerOf(connection);
  const found = await manager.streams.info(STREAM).catch(absent);
  if (!found) await manager.streams.add(STREAM_CONFIG);
  else if (how === "updated" && differences(STREAM_CONFIG, found.config).length > 0) {
    await manager.streams.update(STREAM, STREAM_CONFIG);
  }
  const { config } = await manager.streams.info(STREAM);
  report(log, "stream", differences(STREAM_CONFIG, config));
}

/**
 * Creates or updates the durable consumer; the stream must exist. Messages are not acknowledged: redelivery
 * is not worth a second message, because the sweep recovers what a crashed replica had received.
 */
export async function ensureConsumer(
  connection: NatsConnection,
  durable: string,
  log: Logger,
): Promise<void> {
  const wanted = {
    durable_name: durable,
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.All,
    filter_subject: ALL_SUBJECTS,
  } satisfies Partial<ConsumerConfig>;
  const manager = await managerOf(connection);
  const found = await manager.consumers.info(STREAM, durable).catch(absent);
  // Any number of replicas may add the same consumer at once: each succeeds.
  if (!found || differences(wanted, found.config).length > 0) {
    await manager.consumers.add(STREAM, wanted);
  }
  const { config } = await manager.consumers.info(STREAM, durable);
  report(log, "consumer", differences(wanted, config));
}

export function managerOf(
  connection: NatsConnection,
  timeout = API_TIMEOUT_MS,
): Promise<JetStreamManager> {
  return connection.jetstreamManager({ checkAPI: false, timeout });
}

/** Undefined for "not found"; rethrows all else. */
function absent(error: unknown): undefined {
  if (error instanceof NatsError && error.api_error?.code === 404) return undefined;
  throw error;
}

/** The options of `wanted` that the server has with another value. */
function differences(wanted: object, actual: object): string[] {
  const kept = new Map<string, unknown>(Object.entries(actual));
  return Object.entries(wanted)
    .filter(([name, value]) => JSON.stringify(kept.get(name)) !== JSON.stringify(value))
    .map(([name]) => name);
}

function report(log: Logger, what: "stream" | "consumer", members: readonly string[]): void {
  if (members.length > 0) log.warn({ what, members }, "NATS ignored the options of the stream");
}
