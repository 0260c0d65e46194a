// An event of a bundle that is valid by itself, as the threads that check events hand it over. Used by all
// steps that see the events in their order. It has no logic.

import type { JsonObject, Part } from "@annals/event";

export interface BundleEvent {
  readonly sequenceNumber: number;
  readonly createdAt: string;
  readonly hash: string;
  readonly previousHash: string;
  /** Absent where all parts are there. */
  readonly erased?: readonly Part[];
  /** For a record of an erasure or of retention whose metadata is there. */
  readonly record?: { readonly action: string; readonly metadata: JsonObject };
}

export const ERASURE = "annals.erasure";
export const RETENTION = "annals.retention";
