// The hook before every request under /v1, unknown paths included. Called by app.ts. It admits the request,
// shows the rate limit on every answer (interface 8), gives it a slot of its account, and checks the scope
// and the feature of the route.

import type { Feature, Scope } from "@annals/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../edge/access-log.ts";
import type { RequestsInFlight } from "../edge/requests-in-flight.ts";
import { type Admission, type Admissions, RateLimited } from "./admission.ts";
import { requireFeature } from "./require-feature.ts";
import { requireScope } from "./require-scope.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set for every request that reaches a handler under /v1. */
    admission: Admission | undefined;
    /** Whose key it has, also where the rate limit refuses it. */
    caller: Caller | undefined;
    /** Asks again whether its key is valid, without counting it again. */
    readmit: () => Promise<Admission>;
  }
  interface FastifyContextConfig {
    /** The scope that the route needs. */
    scope?: Scope;
    /** What the route belongs to and a plan can leave out. */
    feature?: Feature;
  }
}

export function admissionHook(admissions: Admissions, inFlight: RequestsInFlight) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    try {
      const { raw } = request;
      const authorization = authorizationOf(request);
      const client = { address: inFlight.addressOf(raw), requestId: request.id, body: raw };
      const admission = await admissions.admit(authorization, client);
      request.readmit = () => admissions.readmit(authorization, request.id);
      request.admission = request.caller = admission;
      showLimit(reply, admission.limit, admission.remaining);
      inFlight.authenticated(request.raw, admission.accountId);
    } catch (error) {
      if (error instanceof RateLimited) {
        request.caller = error.caller;
        showLimit(reply, error.limit, 0);
      }
      throw error;
    }
    const { scope, feature } = request.routeOptions.config;
    if (scope !== undefined) requireScope(request.admission, scope);
    if (feature !== undefined) requireFeature(request.admission, feature);
  };
}

/**
 * After the body was read, and before anything is done with it. A body that arrives slowly can outlast its
 * key: what a key that is revoked meanwhile has sent must not be stored.
 */
export function readmitAfterBody(
  request: FastifyRequest,
  _reply: FastifyReply,
  next: (error?: Error) => void,
): void {
  if (request.admission?.isAfterBody !== false) {
    next();
    return;
  }
  request.readmit().then((admission) => {
    request.admission = admission;
    next();
  }, next);
}

const AUTHORIZATION = "authorization";

/** Where no key is known, `remaining` is the limit itself. */
export function showLimit(reply: FastifyReply, limit: number, remaining: number): void {
  reply.header("x-ratelimit-limit", limit);
  reply.header("x-ratelimit-remaining", remaining);
}

/**
 * The Authorization header. One that is sent twice gives both with a comma between, which is no key: Node
 * keeps only the first, and a proxy before it may keep the last.
 */
function authorizationOf({ headers, raw: { rawHeaders } }: FastifyRequest): string | undefined {
  const all: string[] = [];
  // Names and values alternate. The length rules out most names quickly.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION) {
      all.push(rawHeaders[at + 1] ?? "");
    }
  }
  return all.length > 1 ? all.join(",") : headers.authorization;
}
