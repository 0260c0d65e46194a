// Decides whether a client sends or reads too slowly. Called by requests-in-flight.ts, which asks at
// intervals about every transfer that waits for its client. What a client has read shows only when the kernel
// takes more, which can be a megabyte at a time. So what it took gives the client time for what it does not
// take yet.

import type { IncomingMessage, ServerResponse } from "node:http";

const MS_PER_S = 1_000;
/** The most time, in windows, that a reader has for what it took before. */
const MAX_READER_WINDOWS = 4;

export interface TransferLimits {
  readonly minBytesPerSecond: number;
  /** The window in which a body must move at that rate. */
  readonly bodyWindowMs: number;
  /** The longest that a client may read nothing of a response. */
  readonly responseWindowMs: number;
}

export type SlowTransfer = "slow_body" | "slow_reader";

export class Transfer {
  #kind: SlowTransfer | undefined;
  /** When it must have moved on. */
  #dueAt = 0;
  #bytes = 0;

  /** What the client of this exchange is too slow at; undefined while it is not. */
  slowness(moving: Moving, limits: TransferLimits, nowMs: number): SlowTransfer | undefined {
    const kind = kindOf(moving);
    if (kind === undefined) {
      this.#kind = undefined;
      return undefined;
    }
    const { socket } = moving.request;
    if (kind === "slow_body") return this.#body(socket.bytesRead, limits, nowMs);
    return this.#reader(socket.bytesWritten - socket.writableLength, limits, nowMs);
  }

  #body(
    bytes: number,
    { bodyWindowMs, minBytesPerSecond }: TransferLimits,
    nowMs: number,
  ): SlowTransfer | undefined {
    const isNew = this.#kind !== "slow_body";
    if (!isNew && nowMs < this.#dueAt) return undefined;
    if (!isNew && bytes - this.#bytes < (minBytesPerSecond * bodyWindowMs) / MS_PER_S)
      return "slow_body";
    this.#kind = "slow_body";
    this.#bytes = bytes;
    this.#dueAt = nowMs + bodyWindowMs;
    return undefined;
  }

  #reader(
    bytes: number,
    { responseWindowMs, minBytesPerSecond }: TransferLimits,
    nowMs: number,
  ): SlowTransfer | undefined {
    // At first all that the connection took: it can still be in the kernel.
    const isNew = this.#kind !== "slow_reader";
    const took = isNew ? bytes : bytes - this.#bytes;
    const dueAt =
      (isNew ? nowMs + responseWindowMs : this.#dueAt) + (took / minBytesPerSecond) * MS_PER_S;
    this.#kind = "slow_reader";
    this.#bytes = bytes;
    this.#dueAt = Math.min(dueAt, nowMs + MAX_READER_WINDOWS * responseWindowMs);
    return nowMs > this.#dueAt ? "slow_reader" : undefined;
  }

  /** Begins again: for when this process, and not the client, was slow. */
  restart(): void {
    this.#kind = undefined;
  }
}

export interface Moving {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Whether the body is being read: until then it may wait for this process. */
  readonly isReading: boolean;
}

function kindOf({ request, response, isReading }: Moving): SlowTransfer | undefined {
  // What the kernel has not taken waits for the client to read.
  if (request.socket.writableLength > 0) return "slow_reader";
  return isReading && !request.complete && !response.headersSent ? "slow_body" : undefined;
}
