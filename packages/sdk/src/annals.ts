// The client: every route, track(), and what verifies events and deliveries without trust in the service.

import { Keys } from "./api-keys.ts";
import type { EventTracker } from "./batch.ts";
import { bodyOf } from "./delivery.ts";
import { withContext } from "./event-context.ts";
import { Intake } from "./intake.ts";
import { Routes } from "./routes.ts";
import { storeBody, trackerOf } from "./tracker-of.ts";
import type { TrackingOptions } from "./tracking-options.ts";
import { Transport, type TransportOptions } from "./transport.ts";
import type * as T from "./types.ts";
import { verifyEvents } from "./verify-events.ts";
import { verifyWebhook } from "./webhooks.ts";
import { Widget } from "./widget.ts";

export interface AnnalsOptions extends TransportOptions {
  readonly tracking?: TrackingOptions;
}

export class Annals extends Routes {
  readonly #tracker: EventTracker;
  readonly #transport: Transport;
  /** Stores what other systems send, in their own format. */
  readonly intake: Intake;
  /** The other form of creating and revoking API keys. */
  readonly keys: Keys;
  /** For a client whose `apiKey` is a widget token. */
  readonly widget: Widget;
  declare readonly verify: Routes["verify"] & {
    /**
     * Recomputes the pages of a list with `include: "proof"` in this process, without trust in the service.
     */
    readonly events: typeof verifyEvents;
  };
  declare readonly webhooks: Routes["webhooks"] & {
    /** Verifies a delivery that you received; it needs no client ({@link verifyWebhook}). */
    readonly verify: typeof verifyWebhook;
  };

  constructor({ tracking, ...options }: AnnalsOptions) {
    const transport = new Transport(options);
    super(transport);
    this.#transport = transport;
    this.intake = new Intake(transport);
    this.keys = new Keys(transport);
    this.widget = new Widget(transport);
    this.verify = { ...this.verify, events: verifyEvents };
    this.webhooks = { ...this.webhooks, verify: verifyWebhook };
    this.#tracker = trackerOf(transport, options, tracking);
  }

  /**
   * Buffers an event, to be sent with others, with what `@annals/sdk/context` has set. False if it was
   * dropped: `tracking.onDrop` says why.
   */
  track(event: T.NewEvent): boolean {
    return this.#tracker.track(withContext(event));
  }

  /** Tracked events that are neither stored nor dropped yet. */
  get buffered(): number {
    return this.#tracker.buffered;
  }

  /**
   * Resolves while the buffer is at most half full: wait for it before each event, and none is dropped.
   */
  ready(): Promise<void> {
    return this.#tracker.ready();
  }

  /** Resolves when every event tracked so far is stored or dropped. */
  flush(): Promise<void> {
    return this.#tracker.flush();
  }

  /**
   * Call it before the process ends: takes no more events, stores what is buffered, drops what it cannot.
   */
  close(timeoutMs?: number): Promise<void> {
    return this.#tracker.close(timeoutMs);
  }

  /** Stores events from their JSON, as it is, in one attempt. Called by the outbox. */
  storeBatch(texts: readonly string[], idempotencyKey: string): Promise<unknown> {
    return storeBody(this.#transport, bodyOf(texts), idempotencyKey);
  }
}
