// Answers a request before its body has arrived: one refused by its headers, or too large. Called by app.ts.
// The answer is sent at once. The connection then stays open for a while and discards what the client still
// sends: closing it at once would reset it, and many clients would see the reset and not the answer.

import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";

/** Bytes to discard, and how long that may take, before the connection is closed. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;
const MAX_DISCARD_MS = 2_000;

export function hasUnreadBody(request: IncomingMessage): boolean {
  return !request.complete && !request.destroyed;
}

/** A stream of `text` that ends when the body is discarded. Send it with the content-length of `text`. */
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
    const close = (): void => {
      request.socket.destroySoon();
      resolve();
    };
    const timer = setTimeout(close, MAX_DISCARD_MS);
    request.on("data", (chunk: Buffer) => {
      discarded += chunk.length;
      if (discarded > MAX_DISCARDED_BYTES) close();
    });
    for (const event of ["end", "error", "close"]) request.once(event, resolve);
    request.once("close", () => clearTimeout(timer));
    request.resume();
  });
}
