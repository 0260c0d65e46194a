// What the tests share that show that nothing is lost: an account with three webhooks, a load of events that
// are posted until each was answered with 201, kills meanwhile, and the count of what has not arrived.

import type { StackProcess } from "@annals/local";
import { eventually, type Subscriber } from "@annals/testing";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { metricOf } from "./metric-of.ts";
import type { WebhookSystem } from "./webhook-constellation.ts";

const WRITERS = 10;
/** Before asking again. */
const RETRY_MS = 50;
/** Between two events of a writer that only keeps a load going. */
const PACE_MS = 50;
const DRAINED_MS = 90_000;
const READY_MS = 60_000;
const IN_FLIGHT = "annals_webhook_attempts_in_flight";

/**
 * Settings of a dispatcher that tests kill. What it had in flight is claimed again soon: a short deadline
 * ends the lease, and the retries of a delivery whose claim was lost more than once follow quickly.
 */
export const KILLED_DISPATCHER = {
  ANNALS_WEBHOOK_TIMEOUT_MS: "1000",
  ANNALS_WEBHOOK_RETRY_DELAYS_S: "1,1,1,1,1,1,1,1,1,1",
};

export type Client = Awaited<ReturnType<WebhookSystem["client"]>>;

/** Three webhooks of one account. */
export async function threeWebhooks(
  system: WebhookSystem,
): Promise<{ client: Client; subscribers: Subscriber[] }> {
  const client = await system.client();
  const subscribers = await Promise.all([1, 2, 3].map(() => system.subscriber()));
  for (const subscriber of subscribers) {
    const hook = { url: subscriber.url(), events: ["event.created"] };
    expect((await client.post("/v1/webhooks", hook)).status).toBe(201);
  }
  return { client, subscribers };
}

export interface Posted {
  /** Events that are stored. */
  readonly count: number;
  /** Answers that were no 201, or none. */
  readonly refused: number;
  /** From the request to the 201, in milliseconds, in rising order. */
  readonly tookMs: readonly number[];
}

/**
 * Posts `count` events at least, and goes on at a slow pace while `isGoingOn`; each until it was answered
 * with 201, however often that has to be asked. `name` distinguishes two loads of one account.
 */
export async function postAll(
  client: Client,
  count: number,
  isGoingOn: () => boolean = () => false,
  name = "event",
): Promise<Posted> {
  let next = 0;
  let refused = 0;
  const tookMs: number[] = [];
  const writer = async (): Promise<void> => {
    while (next < count || isGoingOn()) {
      if (next >= count) await pause(PACE_MS);
      const key = `${name}-${(next += 1)}`;
      for (;;) {
        const sent = { headers: { "idempotency-key": key } };
        const asked = performance.now();
        const answer = await client
          .post("/v1/events", { action: key }, sent)
          .catch(() => undefined);
        if (answer?.status === 201) {
          tookMs.push(performance.now() - asked);
          break;
        }
        refused += 1;
        await pause(RETRY_MS);
      }
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  return { count: next, refused, tookMs: tookMs.toSorted((a, b) => a - b) };
}

/**
 * Kills processes one after the other, and waits until each serves again. Each is killed while its requests
 * are at the subscribers, or those of another process if it sends none; they are answered when it is dead.
 */
export async function killDuringAttempts(
  victims: readonly StackProcess[],
  subscribers: readonly Subscriber[],
): Promise<void> {
  for (const victim of victims) {
    const dead = Promise.withResolvers<void>();
    let waiting = 0;
    for (const one of subscribers)
      one.answer = async (response) => {
        waiting += 1;
        await dead.promise;
        response.writeHead(204).end();
      };
    const isSending = async () =>
      waiting > 0 &&
      (victim.service !== "webhook-dispatcher" || (await metricOf(victim.adminUrl, IN_FLIGHT)) > 0);
    await eventually("attempts are under way", isSending, DRAINED_MS);
    victim.kill("SIGKILL");
    await victim.exited();
    dead.resolve();
    await victim.waitReady(READY_MS);
  }
}

/** How many of the first `count` events a subscriber never received. */
export function missing({ received }: Subscriber, count: number): number {
  const arrived = new Set(received.map(({ json }) => json.data.sequence_number));
  return Array.from({ length: count }, (_, i) => i + 1).filter((n) => !arrived.has(n)).length;
}

/** Waits for what is still on its way. */
export async function expectNothingMissing(
  subscribers: readonly Subscriber[],
  count: number,
): Promise<void> {
  const missed = () => subscribers.map((one) => missing(one, count));
  await eventually("nothing is missing", () => missed().every((n) => n === 0), DRAINED_MS).catch(
    () => {
      expect(missed()).toEqual(subscribers.map(() => 0));
    },
  );
}

/**
 * An event that came more than once came with the same bytes, and so with the same id and signature each
 * time. Resolves to how many came again.
 */
export function repeats(subscribers: readonly Subscriber[]): number {
  let again = 0;
  for (const { received } of subscribers) {
    const first = new Map<number, string>();
    for (const { body, headers, json } of received) {
      const sequence = json.data.sequence_number;
      const { "webhook-id": id, "x-service-signature": signature } = headers;
      const seen = JSON.stringify([id, signature, body.toString("latin1")]);
      if (first.has(sequence)) again += 1;
      else first.set(sequence, seen);
      expect(first.get(sequence)).toBe(seen);
    }
  }
  return again;
}
