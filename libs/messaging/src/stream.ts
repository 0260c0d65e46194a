// The stream that notices pass through, and the consumers on it: made where they are missing, brought to
// what is written here where they differ, and read back, for an old server drops options that it does not
// know without a word. Called when a connection is made and whenever the server says that the stream is
// gone. It must never touch a stream of another name.

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
 * A message of one notice takes some 160 bytes: 64 MiB are some 400,000 of them. The oldest go first; sweeps
 * find what they told of.
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

/** How long an answer of the server may take. */
export const API_TIMEOUT_MS = 5_000;

/**
 * Sees to it that the stream is there and is as written above; says so in the log where the server will not
 * have it.
 */
export async function ensureStream(connection: NatsConnection, log: Logger): Promise<void> {
  const manager = await managerOf(connection);
  const found = await manager.streams.info(STREAM).catch(absent);
  if (!found) await manager.streams.add(STREAM_CONFIG);
  else if (differences(STREAM_CONFIG, found.config).length > 0) {
    await manager.streams.update(STREAM, STREAM_CONFIG);
  }
  const { config } = await manager.streams.info(STREAM);
  report(log, "stream", differences(STREAM_CONFIG, config));
}

/**
 * Sees to it that the durable consumer is there and is as written below. The stream has to be. Nothing is
 * acknowledged: a notice is worth no second message, for what dies with a replica is found by the sweep.
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
  let found = await manager.consumers.info(STREAM, durable).catch(absent);
  if (found && found.config.ack_policy !== wanted.ack_policy) {
    // An earlier release made it, and the server does not change this: notices meanwhile are found by the
    // sweep.
    await manager.consumers.delete(STREAM, durable);
    found = undefined;
  }
  // Of any number of replicas that add the same at the same time, each succeeds.
  if (!found || differences(wanted, found.config).length > 0) {
    await manager.consumers.add(STREAM, wanted);
  }
  const { config } = await manager.consumers.info(STREAM, durable);
  report(log, "consumer", differences(wanted, config));
}

function managerOf(connection: NatsConnection): Promise<JetStreamManager> {
  return connection.jetstreamManager({ checkAPI: false, timeout: API_TIMEOUT_MS });
}

/** For what is not there; rethrows all else. */
function absent(error: unknown): undefined {
  if (error instanceof NatsError && error.api_error?.code === 404) return undefined;
  throw error;
}

/** The members of `wanted` that the server has otherwise. */
function differences(wanted: object, actual: object): string[] {
  const there = new Map<string, unknown>(Object.entries(actual));
  return Object.entries(wanted)
    .filter(([name, value]) => JSON.stringify(there.get(name)) !== JSON.stringify(value))
    .map(([name]) => name);
}

function report(log: Logger, what: "stream" | "consumer", members: readonly string[]): void {
  if (members.length > 0) log.warn({ what, members }, "NATS keeps settings other than ours");
}
