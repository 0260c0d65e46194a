// Makes what is behind track(): the buffer in memory, or the spool that the application gives. Called by
// annals.ts.

import type { EventTracker } from "./batch.ts";
import { BACKGROUND_CLOCK } from "./clock.ts";
import { Delivery } from "./delivery.ts";
import { Tracker } from "./tracker.ts";
import { TRACKING_DEFAULTS, type TrackingOptions } from "./tracking-options.ts";
import { get, post, type Transport, type TransportOptions } from "./transport.ts";
import type { Usage } from "./types.ts";

export function trackerOf(
  transport: Transport,
  { apiKey, clock = BACKGROUND_CLOCK, random = Math.random }: TransportOptions,
  tracking: TrackingOptions = {},
): EventTracker {
  const call = post("create-event-batch", "/events/batch");
  const send = (body: string, idempotencyKey: string, signal: AbortSignal) =>
    transport.json({ ...call, body, idempotencyKey }, { signal, maxRetries: 0 });
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
