// Drains the connections of a server that shuts down, without failing a request. Called by serve.ts after
// readiness has ended and before the server closes. Closing a keep-alive connection while its client sends
// the next request fails that request, and the client cannot know whether it was read. A response with
// `connection: close` makes the client close instead. It must never wait when no client is connected.

import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** Without a request for so long, load balancers have seen that readiness ended. */
const QUIET_MS = 500;
/** Draining takes at most so long after the delay. */
export const MAX_DRAIN_MS = 3_000;
const POLL_MS = 20;

export interface DrainOptions {
  readonly connections: () => Promise<number>;
  /** It serves on for so long in any case: load balancers may still send new clients. */
  readonly delayMs: number;
}

/**
 * Keeps serving, with `connection: close` in each response, for the delay and then until none has sent a
 * request for a while or the time is over. It ends at once where no client is connected and none has sent a
 * request. One that has closed its connection, as it was asked, may come back on a new one, which the kernel
 * has queued already.
 */
export async function drain(server: Server, { connections, delayMs }: DrainOptions): Promise<void> {
  /** When the last request came; 0 before the first. */
  let last = 0;
  // This listener runs before the one that handles the request.
  server.prependListener("request", (_request, response) => {
    last = performance.now();
    response.setHeader("connection", "close");
  });
  await sleep(delayMs);
  const started = performance.now();
  for (;;) {
    const now = performance.now();
    if (now - Math.max(last, started) > QUIET_MS || now - started > MAX_DRAIN_MS) return;
    if (last === 0 && (await connections()) === 0) return;
    await sleep(POLL_MS);
  }
}
