// How many notices a consumer has not taken, as JetStream counts them. Read by a producer at each scrape,
// because a gauge of the consumer ends with the consumer. It must never take a message, never reject, and
// never keep a scrape waiting.

import type { Messaging } from "./connection.ts";
import { managerOf } from "./stream.ts";
import { STREAM } from "./subjects.ts";

/** The durable consumer that all replicas of the webhook dispatcher share. */
export const DISPATCHER = "webhook-dispatcher";

export interface NoticeLag {
  readonly pending: number;
  /** 0 if nothing is pending. */
  readonly oldestSeconds: number;
}

/** For each of the requests to the server. */
const TIMEOUT_MS = 1_000;
const MS_PER_S = 1_000;

/** Undefined while NATS is unreachable, or if the consumer was never created. */
export async function noticeLag(
  { connection }: Pick<Messaging, "connection">,
  durable: string,
): Promise<NoticeLag | undefined> {
  if (!connection) return undefined;
  try {
    const { consumers, streams } = await managerOf(connection, TIMEOUT_MS);
    const { delivered, num_pending: pending } = await consumers.info(STREAM, durable);
    if (pending === 0) return { pending, oldestSeconds: 0 };
    // The stream may have discarded what follows the last message that was delivered.
    const { state } = await streams.info(STREAM);
    const seq = Math.max(delivered.stream_seq + 1, state.first_seq);
    const { time } = await streams.getMessage(STREAM, { seq });
    return { pending, oldestSeconds: Math.max(0, (Date.now() - time.getTime()) / MS_PER_S) };
  } catch {
    return undefined;
  }
}
