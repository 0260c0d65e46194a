// Remembers, for deliveries of recorded requests, the spans that they come from. Called by the fan-out and
// the handlers that queue deliveries, and by the attempts. Only this process remembers them: an attempt by
// another replica, or by this one after a restart, belongs to no trace. It must never hold more than its
// bound.

import { activeSpan, idsOf, type Span, startChild, startLinked } from "@annals/chassis";

/** Maximum deliveries. The oldest are forgotten first. */
const MAX_KEPT = 10_000;

interface Origin {
  readonly span: Span;
  /** Whether other deliveries come from it too: then each begins its own trace, with a link to it. */
  readonly isShared: boolean;
}

export class DeliveryTraces {
  readonly #origins = new Map<string, Origin>();

  /** Remembers `spans`, one per delivery: by default the active span. */
  keep(payloadIds: readonly string[], spans?: readonly (Span | undefined)[]): void {
    const active = activeSpan();
    const all = spans ?? payloadIds.map(() => active);
    const counts = new Map<Span, number>();
    for (const span of all) if (span) counts.set(span, (counts.get(span) ?? 0) + 1);
    for (const [index, id] of payloadIds.entries()) {
      const span = all[index];
      if (span) this.#set(id, { span, isShared: (counts.get(span) ?? 0) > 1 });
    }
  }

  /** Starts the span of an attempt; undefined if the delivery belongs to no trace. The caller ends it. */
  startAttempt(delivery: { readonly payload_id: string; readonly webhook_id: string }) {
    const origin = this.#origins.get(delivery.payload_id);
    if (!origin) return undefined;
    const attributes = { "annals.webhook_id": delivery.webhook_id };
    if (!origin.isShared) return startChild("deliver", origin.span, { attributes });
    const span = startLinked("deliver", origin.span, { attributes });
    // Retries belong to the trace of the first attempt.
    this.#set(delivery.payload_id, { span, isShared: false });
    return span;
  }

  forget(payloadId: string): void {
    this.#origins.delete(payloadId);
  }

  #set(payloadId: string, { isShared, span }: Origin): void {
    this.#origins.set(payloadId, { span: idsOf(span), isShared });
    const [oldest] = this.#origins.size > MAX_KEPT ? this.#origins.keys() : [];
    if (oldest !== undefined) this.#origins.delete(oldest);
  }
}
