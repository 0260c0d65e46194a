// Ends requests whose clients send or read too slowly. Used by requests-in-flight.ts. It must never blame a
// client for a moment in which this process did nothing, nor wake the process while it has no request.

import type { IncomingMessage } from "node:http";
import type { Metrics } from "../metrics.ts";
import type { Exchange } from "./exchange.ts";
import type { TransferLimits } from "./transfer-rate.ts";

/** How often slow clients are looked for. */
const SWEEP_INTERVAL_MS = 250;
/** A sweep that comes so late finds transfers that had to wait for this process. */
const MAX_SWEEP_LATE_MS = 1_000;

export interface SlowClientsOptions {
  readonly transfers: TransferLimits;
  readonly metrics: Pick<Metrics, "refused">;
  /** Ends a request whose body comes too slowly. */
  readonly disconnect: (exchange: Exchange, error: Error) => void;
}

export class SlowClients {
  readonly #options: SlowClientsOptions;
  readonly #open: ReadonlyMap<IncomingMessage, Exchange>;
  #sweptAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(open: ReadonlyMap<IncomingMessage, Exchange>, options: SlowClientsOptions) {
    this.#open = open;
    this.#options = options;
  }

  /** Called with each request: it looks for slow clients until no request is left. */
  watch(): void {
    if (this.#timer !== undefined) return;
    this.#sweptAt = performance.now();
    this.#timer = setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS).unref();
  }

  #sweep(): void {
    if (this.#open.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const now = performance.now();
    const isLate = now - this.#sweptAt > SWEEP_INTERVAL_MS + MAX_SWEEP_LATE_MS;
    this.#sweptAt = now;
    for (const exchange of this.#open.values()) {
      if (isLate) exchange.transfer.restart();
      else this.#endSlow(exchange, now);
    }
  }

  #endSlow(exchange: Exchange, now: number): void {
    const { disconnect, metrics, transfers } = this.#options;
    const slow = exchange.transfer.slowness(exchange, transfers, now);
    if (slow === undefined) return;
    metrics.refused(slow);
    const timeout = Object.assign(new Error(slow), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
    if (slow === "slow_body") disconnect(exchange, timeout);
    else exchange.request.socket.destroy();
  }
}
