// Drains the connections of a server that shuts down, without failing a request. Called by serve.ts after
// readiness has ended and before the server closes. Closing a keep-alive connection while its client sends
// the next request fails that request, and the client cannot know whether it was read. A response with
// `connection: close` makes the client close instead. It must never wait when no client is connected.

import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 20;
/** After this many polls without a request (half a second), load balancers have seen that readiness ended. */
const QUIET_POLLS = 25;
/** The longest that draining takes after the delay, in a process that has the CPU it needs. */
export const MAX_DRAIN_MS = 3_000;
const MAX_POLLS = MAX_DRAIN_MS / POLL_MS;

export interface DrainOptions {
  readonly connections: () => Promise<number>;
  /** It continues to serve for this time in any case: load balancers may still send new clients. */
  readonly delayMs: number;
}

/**
 * Keeps serving, with `connection: close` in each response, for the delay and then until no client has sent a
 * request for a while or the time is over. It ends at once if no client is connected and none has sent a
 * request. A client that has closed its connection, as it was asked, may come back on a new one, which the
 * kernel has queued already. The time is counted in polls, each of which accepts what is queued: in a process
 * that got no CPU for a second, the clock has moved and no request was read.
 */
export async function drain(server: Server, { connections, delayMs }: DrainOptions): Promise<void> {
  let hasServed = false;
  let quietPolls = 0;
  // This listener runs before the one that handles the request.
  server.prependListener("request", (_request, response) => {
    hasServed = true;
    quietPolls = 0;
    response.setHeader("connection", "close");
  });
  await sleep(delayMs);
  for (let polls = 0; polls < MAX_POLLS && quietPolls <= QUIET_POLLS; polls += 1) {
    if (!hasServed && (await connections()) === 0) return;
    quietPolls += 1;
    await sleep(POLL_MS);
  }
}
