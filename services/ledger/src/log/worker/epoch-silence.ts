// How long the closer of epochs waits while no chain grows. Called by epoch-closer.ts, and by
// start-workers.ts with each append. The first look behind an append may come before its tree has grown, so
// one look that finds nothing is no silence yet.

import { REST_MS } from "@annals/chassis";

/** Time to the next look at most, unless none is needed. */
export const DELAY_MS = 5_000;
const LOOKS = 2;

export class EpochSilence {
  #looks = 0;

  /** A look has found nothing to say. Returns the time to the next one. */
  lasts(): number {
    this.#looks += 1;
    return this.#looks < LOOKS ? DELAY_MS : REST_MS;
  }

  /** Returns whether it was one: then the next look should come at once. */
  end(): boolean {
    const wasSilent = this.#looks >= LOOKS;
    this.#looks = 0;
    return wasSilent;
  }
}
