// An answer to a request whose body is not all there: refused by its headers, or too large. The
// answer goes out at once. The connection stays a while to take in and throw away what the client
// still sends: closed at once it would be reset, and many a client would see the reset and never
// the answer.

import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";

/**
 * Bytes that are thrown away, and milliseconds that they may take, before the connection is closed
 * regardless.
 */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;
const MAX_DISCARD_MS = 2_000;

export function hasUnreadBody(request: IncomingMessage): boolean {
  return !request.complete && !request.destroyed;
}

/** A stream of `text` that ends when the body was discarded. Send it with the content-length of `text`. */
export function answerThenDiscard(text: string, request: IncomingMessage): Readable {
  return Readable.from(answer(text, request));
}

async function* answer(text: string, request: IncomingMessage): AsyncGenerator<string> {
  yield text;
  await discardBody(request);
}

async function discardBody(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  await new Promise<void>((resolve) => {
    let discarded = 0;
    const giveUp = (): void => {
      request.socket.destroySoon();
      resolve();
    };
    const timer = setTimeout(giveUp, MAX_DISCARD_MS);
    request.on("data", (chunk: Buffer) => {
      discarded += chunk.length;
      if (discarded > MAX_DISCARDED_BYTES) giveUp();
    });
    for (const event of ["end", "error", "close"]) request.once(event, resolve);
    request.once("close", () => clearTimeout(timer));
    request.resume();
  });
}
