// The rate-limit headers, which every response has (interface 3). Called by app.ts, admission/hook.ts and
// cors.ts.

import type { FastifyReply } from "fastify";

/** Sets the headers. If no key is known, `remaining` is the limit itself. */
export function showLimit(reply: FastifyReply, limit: number, remaining: number): void {
  reply.header("x-ratelimit-limit", limit);
  reply.header("x-ratelimit-remaining", remaining);
}
