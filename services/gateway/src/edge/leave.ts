// How a gateway goes without failing a request of those who are connected. Called by serve.ts between the
// end of readiness and the end of the server. Closing a kept-alive connection while its client sends the
// next request fails that request, and the client cannot know whether it was read; an answer that says
// `connection: close` makes the client itself go. It must never hold the end up when nobody is connected.

import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** Whoever sends requests here has seen the readiness end when none has come for so long. */
const QUIET_MS = 500;
/** All is served for so long at most. */
const LEAVE_MS = 3_000;
const POLL_MS = 20;

/**
 * Serves on, and tells each client that sends a request to go, until no client is connected, none has sent a
 * request for a while, or the time to leave is over.
 */
export async function leave(server: Server): Promise<void> {
  const started = performance.now();
  let last = started;
  // Before the listener that answers.
  server.prependListener("request", (_request, response) => {
    last = performance.now();
    response.setHeader("connection", "close");
  });
  for (;;) {
    const now = performance.now();
    if (now - last > QUIET_MS || now - started > LEAVE_MS) return;
    if ((await connections(server)) === 0) return;
    await sleep(POLL_MS);
  }
}

function connections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => {
      if (error) reject(error);
      else resolve(count);
    });
  });
}
