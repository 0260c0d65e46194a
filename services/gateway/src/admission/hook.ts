// The hook before every request under /v1, unknown paths included. Called by app.ts. It admits the request,
// shows the rate limit on every response (interface 3), gives it a slot of its account, and checks the scope
// and the feature of the route. The widget routes take only widget tokens, from the origins that these name,
// and all other routes take API keys and tokens of people and workloads. It never looks at a cookie.

import { type Feature, type Permission, WIDGET } from "@annals/contract";
import { AnnalsError } from "@annals/errors";
import type { RateWindow } from "@annals/proto/keys";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { IncomingMessage } from "node:http";
import type { Caller } from "../edge/access-log.ts";
import { allowEveryOrigin, allowOrigins, OTHER_ORIGIN } from "../edge/cors.ts";
import type { RequestsInFlight } from "../edge/requests-in-flight.ts";
import { showLimit } from "../edge/show-limit.ts";
import type { Admission } from "./admission.ts";
import type { Admissions } from "./admissions.ts";
import { OtherAddress, RateLimited } from "./refused.ts";
import { requireFeature } from "./require-feature.ts";
import { requireScope } from "./require-scope.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set for every request that reaches a handler under /v1. */
    admission: Admission | undefined;
    /** Whose key the request has; also set if the rate limit refuses it. */
    caller: Caller | undefined;
    /** Checks again that the key is valid and has the scope, without counting the request again. */
    readmit: () => Promise<Admission>;
  }
  interface FastifyContextConfig {
    /** Scope that the route needs. */
    scope?: Permission;
    /** Feature that the route belongs to. A plan can exclude it. */
    feature?: Feature;
    /** The key's window in which requests to the route count. */
    window?: RateWindow;
  }
}

export interface AdmissionHookOptions {
  readonly admissions: Admissions;
  readonly inFlight: RequestsInFlight;
  /** The address that a request came from, as a key's list has it. */
  readonly ipOf: (request: IncomingMessage) => string;
  readonly widgetRateLimitPerMinute: number;
}

export function admissionHook({
  admissions,
  inFlight,
  ipOf,
  widgetRateLimitPerMinute,
}: AdmissionHookOptions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const isWidget = isWidgetRequest(request);
    if (isWidget) {
      showLimit(reply, widgetRateLimitPerMinute, widgetRateLimitPerMinute);
      allowEveryOrigin(reply);
    }
    const { raw } = request;
    const { feature, scope, window } = request.routeOptions.config;
    const counted = { requestId: request.id, ip: ipOf(raw), isWidget, window };
    try {
      const authorization = authorizationOf(request);
      const client = { ...counted, address: inFlight.addressOf(raw), body: raw };
      let admission: Admission;
      // The request keeps what it holds until it is admitted or refused, even if its client disconnects.
      inFlight.begin(raw);
      try {
        admission = await admissions.admit(authorization, client);
      } finally {
        inFlight.ended(raw);
      }
      request.readmit = async () => {
        const again = await admissions.readmit(authorization, counted);
        // The role of a person may be a lower one now.
        if (scope !== undefined) requireScope(again, scope);
        return again;
      };
      request.admission = request.caller = admission;
      showLimit(reply, admission.limit, admission.remaining);
      if (admission.widget && !allowOrigins(request, reply, admission.widget.origins))
        throw new AnnalsError("scope_missing", OTHER_ORIGIN);
      inFlight.authenticated(raw, admission.accountId);
    } catch (error) {
      if (error instanceof RateLimited) {
        request.caller = error.caller;
        showLimit(reply, error.limit, 0);
        if (error.caller.widget) allowOrigins(request, reply, error.caller.widget.origins);
      }
      if (error instanceof OtherAddress) {
        request.caller = error.caller;
        showLimit(reply, error.limit, error.remaining);
      }
      throw error;
    }
    if (scope !== undefined) requireScope(request.admission, scope);
    if (feature !== undefined) requireFeature(request.admission, feature);
  };
}

/** Decides by the route, whatever the spelling of its path; for an unknown path, by its text. */
function isWidgetRequest({ is404, routeOptions, url }: FastifyRequest): boolean {
  return is404 ? url.startsWith("/v1/widget/") : routeOptions.config.scope === WIDGET;
}

/**
 * Admits the request again, after its body was read and before the body is used. A body can arrive so slowly
 * that its key is revoked meanwhile: then it must not be stored.
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

/**
 * Returns the Authorization header. If it was sent twice, both values are joined with a comma, which is not a
 * valid key: Node keeps only the first, and a proxy in front of the gateway may keep the last.
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
