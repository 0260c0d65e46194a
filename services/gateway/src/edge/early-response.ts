// Responds to a request before its body has arrived: one refused by its head, or too large. Called by
// error-responder.ts and requests-in-flight.ts. The body is not read, so the connection is closed (RFC 9112,
// 9.6). It stays open for a moment, because closing it at once would reset it, and many clients would see the
// reset and not the response. It must never read much of a body that no route takes.

import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";

/** What a client may have sent before it could know: read and discarded. The rest is not read. */
const MAX_DISCARDED_BYTES = 64 * 1024;
const LINGER_MS = 1_000;
/** Connections that wait for their client to close. Beyond them, one is closed with its response. */
const MAX_LINGERING = 1_000;

export function hasUnreadBody(request: IncomingMessage): boolean {
  return !request.complete && !request.destroyed;
}

export class EarlyResponses {
  #lingering = 0;

  /** Streams `payload`; ends when the client has closed or has sent its body, or after {@link LINGER_MS}. */
  stream(payload: string | Buffer, request: IncomingMessage): Readable {
    return Readable.from(this.#respond(payload, request));
  }

  async *#respond(
    payload: string | Buffer,
    request: IncomingMessage,
  ): AsyncGenerator<string | Buffer> {
    yield payload;
    if (this.#lingering >= MAX_LINGERING || !hasUnreadBody(request)) return;
    this.#lingering += 1;
    try {
      await clientDone(request);
    } finally {
      this.#lingering -= 1;
    }
  }
}

async function clientDone(request: IncomingMessage): Promise<void> {
  await new Promise<void>((resolve) => {
    let discarded = 0;
    const timer = setTimeout(resolve, LINGER_MS);
    request.on("data", (chunk: Buffer) => {
      discarded += chunk.length;
      if (discarded > MAX_DISCARDED_BYTES) request.pause();
    });
    for (const event of ["end", "error", "close"]) request.once(event, resolve);
    request.once("close", () => clearTimeout(timer));
    request.resume();
  });
}
