// The hook that stands before every request under /v1, unknown paths included: it admits the request, shows the rate limit
// on the answer whatever comes of it (interface 8), and checks the scope of the route.

import type { Scope } from "@annals/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Admission, type Admissions, RateLimited } from "./admission.ts";
import { requireScope } from "./require-scope.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set for every request that reaches a handler under /v1. */
    admission: Admission | undefined;
  }
  interface FastifyContextConfig {
    /** The scope that the route needs. */
    scope?: Scope;
  }
}

export function admissionHook(admissions: Admissions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    try {
      const admission = await admissions.admit(request.headers.authorization);
      request.admission = admission;
      showLimit(reply, admission.limit, admission.remaining);
    } catch (error) {
      if (error instanceof RateLimited) showLimit(reply, error.limit, 0);
      throw error;
    }
    const { scope } = request.routeOptions.config;
    if (scope !== undefined) requireScope(request.admission, scope);
  };
}

/** Where no key is known, `remaining` is the limit itself. */
export function showLimit(reply: FastifyReply, limit: number, remaining: number): void {
  reply.header("x-ratelimit-limit", limit);
  reply.header("x-ratelimit-remaining", remaining);
}
