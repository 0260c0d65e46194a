// How many entries of reads the gateways may record in a minute. Called by rpc/record-audit-events.ts. Other
// services count in their databases; the gateway has none and faces the network, so a compromised one must
// not be able to fill the chain of the system account.

import type { Clock } from "@annals/contract";

/** Entries of a minute, in one ledger: more than a gateway that keeps to its own bounds sends. */
export const MAX_READ_ENTRIES = 1_200;
/** Length of YYYY-MM-DDTHH:MM. */
const MINUTE_LENGTH = 16;

export class ReadBudget {
  readonly #clock: Pick<Clock, "nowText">;
  #minute = "";
  #used = 0;

  constructor(clock: Pick<Clock, "nowText">) {
    this.#clock = clock;
  }

  /** How many of the `wanted` entries may be recorded now. */
  take(wanted: number): number {
    const minute = this.#clock.nowText().slice(0, MINUTE_LENGTH);
    if (minute !== this.#minute) [this.#minute, this.#used] = [minute, 0];
    const taken = Math.min(wanted, MAX_READ_ENTRIES - this.#used);
    this.#used += taken;
    return taken;
  }
}
