// An event of a bundle that is valid by itself, as the threads that check events hand it over. Used by all
// steps that see the events in their order. It has no logic.

import type { CheckedEvent } from "../checked-event.ts";

export interface BundleEvent extends CheckedEvent {
  readonly createdAt: string;
}
