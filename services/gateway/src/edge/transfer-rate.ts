// Decides whether a client sends or reads too slowly. Called by requests-in-flight.ts, which asks at
// intervals about every transfer that waits for its client.

import type { IncomingMessage, ServerResponse } from "node:http";

const MS_PER_S = 1_000;

export interface TransferLimits {
  readonly minBytesPerSecond: number;
  /** A body, and an answer, must move at that rate in each window of so many milliseconds. */
  readonly bodyWindowMs: number;
  readonly answerWindowMs: number;
}

export type SlowTransfer = "slow_body" | "slow_reader";

export class Transfer {
  #kind: SlowTransfer | undefined;
  #startedAt = 0;
  #bytes = 0;

  /** What the client of this exchange is too slow at; undefined while it is not. */
  slowness(
    { request, response, isReading }: Moving,
    limits: TransferLimits,
    nowMs: number,
  ): SlowTransfer | undefined {
    const { socket } = request;
    // What the kernel has not taken waits for the client to read.
    const kind =
      socket.writableLength > 0 ? "slow_reader" : isReading && !request.complete && "slow_body";
    if (kind === false || (kind === "slow_body" && response.headersSent)) {
      this.#kind = undefined;
      return undefined;
    }
    const bytes =
      kind === "slow_body" ? socket.bytesRead : socket.bytesWritten - socket.writableLength;
    if (kind !== this.#kind) {
      this.#begin(kind, bytes, nowMs);
      return undefined;
    }
    const windowMs = kind === "slow_body" ? limits.bodyWindowMs : limits.answerWindowMs;
    if (nowMs - this.#startedAt < windowMs) return undefined;
    if (bytes - this.#bytes < (limits.minBytesPerSecond * windowMs) / MS_PER_S) return kind;
    this.#begin(kind, bytes, nowMs);
    return undefined;
  }

  /** Begins the window again: for when this process, and not the client, was slow. */
  restart(): void {
    this.#kind = undefined;
  }

  #begin(kind: SlowTransfer, bytes: number, nowMs: number): void {
    this.#kind = kind;
    this.#bytes = bytes;
    this.#startedAt = nowMs;
  }
}

export interface Moving {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Whether the body is being read: until then it may wait for this process. */
  readonly isReading: boolean;
}
