// Makes what is behind track(): the buffer in memory, or the spool that the application gives. Stores batches
// for it and for the outbox. Called by annals.ts.

import type { EventTracker } from "./batch.ts";
import { BACKGROUND_CLOCK } from "./clock.ts";
import { Delivery } from "./delivery.ts";
import { Tracker } from "./tracker.ts";
import { TRACKING_DEFAULTS, type TrackingOptions } from "./tracking-options.ts";
import { type CallOptions, get, post, type Transport, type TransportOptions } from "./transport.ts";
import type { Usage } from "./types.ts";

/** Stores a batch, in one attempt. */
export function storeBody(
  transport: Transport,
  body: string,
  idempotencyKey: string,
  options?: CallOptions,
): Promise<unknown> {
  const call = { ...post("create-event-batch", "/events/batch"), body, idempotencyKey };
  return transport.json(call, { ...options, maxRetries: 0 });
}

export function trackerOf(
  transport: Transport,
  { apiKey, clock = BACKGROUND_CLOCK, random = Math.random }: TransportOptions,
  tracking: TrackingOptions = {},
): EventTracker {
  const send = (body: string, key: string, signal: AbortSignal) =>
    storeBody(transport, body, key, { signal });
  const deps = { send, clock, random };
  const { spool, batchEvents, batchBytes, maxWaitMs } = { ...TRACKING_DEFAULTS, ...tracking };
  if (spool === undefined) return new Tracker(deps, tracking);
  return spool.open({
    clock,
    batchEvents,
    batchBytes,
    maxWaitMs,
    apiKey,
    accountId: async (signal) => {
      const usage = get("get-usage", "/usage");
      return (await transport.data<Usage>(usage, { signal, maxRetries: 0 })).account_id;
    },
    sending: (signal, waiting) => new Delivery(deps, tracking, signal, waiting),
  });
}
