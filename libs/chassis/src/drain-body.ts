// Reads and discards the rest of a body that a server has answered already. Called by the gateway and the
// admin API of keys. Many clients send all of a body before they read, and a connection that is closed on
// unread bytes is reset: they would never see the response (RFC 9112, 9.6). It must never wait for a client
// that sends nothing, nor read more than it may.

import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";

export interface DrainLimits {
  readonly maxBytes: number;
  readonly maxMs: number;
  /** How long it waits for a client that sends nothing more; by default a second. */
  readonly idleMs?: number;
}

/** What a piece of a body counts as at least: reading it costs as much as reading this. */
const MIN_PIECE_BYTES = 1024;
/** The default of `idleMs`, which is also the wait for a client whose body is not read any further. */
const LINGER_MS = 1_000;

export function hasUnreadBody(request: IncomingMessage): boolean {
  return !request.complete && !request.destroyed;
}

/** Resolves when the body has ended, its client has closed or sends nothing, or enough was read. */
export async function drainBody(
  body: Readable,
  { idleMs = LINGER_MS, maxBytes, maxMs }: DrainLimits,
): Promise<void> {
  await new Promise<void>((resolve) => {
    let left = maxBytes;
    const idle = setTimeout(resolve, idleMs);
    const late = setTimeout(resolve, maxMs);
    const end = (): void => {
      clearTimeout(idle);
      clearTimeout(late);
      resolve();
    };
    body.on("data", (chunk: Buffer) => {
      left -= Math.max(chunk.length, MIN_PIECE_BYTES);
      if (left < 0) body.pause();
      else idle.refresh();
    });
    for (const event of ["end", "error", "close"]) body.once(event, end);
    body.resume();
  });
}
