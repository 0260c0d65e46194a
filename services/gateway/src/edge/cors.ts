// Cross-origin requests of web pages (CORS) to the widget routes; no other route allows them. Called by
// app.ts and admission/hook.ts. It must never let a page of another origin read a response that a token was
// admitted for, unless the token names the origin.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RequestsInFlight } from "./requests-in-flight.ts";
import { takeNoBody } from "./empty-body.ts";
import { showLimit } from "./show-limit.ts";

const ALLOWED = "access-control-allow-origin";
const EXPOSED = "Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-Request-Id";

export const OTHER_ORIGIN =
  "This widget token may not be used from the origin of this page. Name it in `origins` when you create one.";

/** How long a browser remembers the response to a preflight. */
const PREFLIGHT_MAX_AGE_S = 600;

/**
 * Until a token is known: the response then contains no data, and a page can see that its token
 * has ended.
 */
export function allowEveryOrigin(reply: FastifyReply): void {
  reply.header("vary", "origin");
  reply.header(ALLOWED, "*");
  reply.header("access-control-expose-headers", EXPOSED);
}

/**
 * Whether the request may get a response. One without an origin does not come from a page of another origin.
 */
export function allowOrigins(
  { headers: { origin } }: FastifyRequest,
  reply: FastifyReply,
  origins: readonly string[],
): boolean {
  reply.removeHeader(ALLOWED);
  if (origin === undefined) return true;
  const isAllowed = origins.includes(origin);
  if (isAllowed) reply.header(ALLOWED, origin);
  return isAllowed;
}

/**
 * Browsers ask without a token, so every origin gets the same. The request that follows is refused, if need
 * be.
 */
export function respondToPreflights(
  app: FastifyInstance,
  limit: number,
  inFlight: Pick<RequestsInFlight, "readBody" | "responded">,
): void {
  app.route({
    method: "OPTIONS",
    url: "/v1/widget/*",
    onRequest: takeNoBody(inFlight),
    handler: ({ raw }, reply) => {
      allowEveryOrigin(reply);
      showLimit(reply, limit, limit);
      reply.header("access-control-allow-methods", "GET");
      reply.header("access-control-allow-headers", "Authorization");
      reply.header("access-control-max-age", PREFLIGHT_MAX_AGE_S);
      reply.code(204).send();
      inFlight.responded(raw);
      return reply;
    },
  });
}
