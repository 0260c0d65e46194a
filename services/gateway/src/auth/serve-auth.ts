// Serves the routes of auth.ts under /auth, if browsers have an origin (ANNALS_PUBLIC_URL). Called by app.ts.
// A POST with a cookie must come from a page of that origin, so that no page of another one acts for whoever
// is logged in. No other part of the gateway looks at a cookie.

import cookie from "@fastify/cookie";
import { AnnalsError, invalid } from "@annals/errors";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { takeNoBody } from "../edge/empty-body.ts";
import { notFound, refuseUnknown } from "../edge/error-responder.ts";
import { isJsonType } from "../edge/json-body.ts";
import type { RequestBudget } from "../edge/request-budget.ts";
import type { RequestsInFlight } from "../edge/requests-in-flight.ts";
import type { Metrics } from "../metrics.ts";
import type { AuthDeps, AuthRoute } from "./auth-route.ts";
import { Cookies } from "./cookies.ts";

/** Requests per second and client address, and callbacks; ten times as many at once. */
export const AUTH_PER_SECOND = 20;
export const CALLBACKS_PER_SECOND = 1;

/** A body has the id of an account, or a logout token. */
const MAX_JSON_BYTES = 1_024;
const MAX_FORM_BYTES = 16_384;

type Budget = Pick<RequestBudget, "isOver" | "count">;

export interface AuthOptions extends Pick<
  AuthDeps,
  "hasKeyLogin" | "ipOf" | "keys" | "publicOrigin"
> {
  readonly budgets: { readonly all: Budget; readonly callbacks: Budget };
  readonly inFlight: Pick<
    RequestsInFlight,
    "addressOf" | "begin" | "ended" | "readBody" | "responded" | "signalOf"
  >;
  readonly metrics: Pick<Metrics, "refused">;
}

type Row = readonly ["GET" | "POST", path: string, name: string, (deps: AuthDeps) => AuthRoute];

export async function serveAuth(
  app: FastifyInstance,
  table: readonly Row[],
  options: AuthOptions,
): Promise<void> {
  const { inFlight, publicOrigin } = options;
  await app.register(cookie);
  app.addHook("onRequest", refuseUnknown);
  app.setNotFoundHandler(notFound);
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string" },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  );
  const cookies = new Cookies(publicOrigin);
  const deps: AuthDeps = { ...options, cookies, signalOf: (raw) => inFlight.signalOf(raw) };
  for (const [method, url, , make] of table) serveRoute(app, { method, url }, make(deps), options);
}

function serveRoute(
  app: FastifyInstance,
  at: { readonly method: "GET" | "POST"; readonly url: string },
  { body, handle, isCallback = false }: AuthRoute,
  options: AuthOptions,
): void {
  const { inFlight } = options;
  app.route({
    ...at,
    bodyLimit: body === "form" ? MAX_FORM_BYTES : MAX_JSON_BYTES,
    onRequest: [
      countRequest(isCallback, options),
      body === undefined ? takeNoBody(inFlight) : requireSender(body, options),
    ],
    preParsing: (request, reply, payload, next) => {
      if (body !== undefined) releaseSlot(request, reply, inFlight);
      next(null, payload);
    },
    handler: async (request, reply) => {
      const { raw } = request;
      inFlight.begin(raw);
      try {
        return await handle(request, reply);
      } finally {
        inFlight.ended(raw);
        inFlight.responded(raw);
      }
    },
  });
}

/** A hook that throws `rate_limited` for an address that asks too often. */
function countRequest(isCallback: boolean, { budgets, inFlight, metrics }: AuthOptions) {
  const counted = isCallback ? [budgets.all, budgets.callbacks] : [budgets.all];
  return async ({ raw }: FastifyRequest): Promise<void> => {
    const address = inFlight.addressOf(raw);
    if (counted.some((budget) => budget.isOver(address))) {
      metrics.refused("auth_rate");
      const message = "Too many logins from this address. Try again.";
      throw new AnnalsError("rate_limited", message, { retryAfterS: 1 });
    }
    for (const budget of counted) budget.count(address);
  };
}

/**
 * A hook before a POST. A browser sends a form or a text to any origin, and JSON only after it has asked: the
 * media type and the sender are both checked, and nobody has allowed another origin.
 */
function requireSender(body: "json" | "form", { publicOrigin }: AuthOptions) {
  return async ({ headers }: FastifyRequest): Promise<void> => {
    if (body === "form") return;
    if (!isJsonType(headers["content-type"]))
      throw invalid({ field: "Content-Type", message: "must be application/json" });
    const isOwn =
      headers["sec-fetch-site"] === "same-origin" || headers.origin === publicOrigin.origin;
    if (!isOwn)
      throw new AnnalsError("scope_missing", "This request must come from a page of this origin.");
  };
}

/** It keeps its connection alone until its body has arrived. */
function releaseSlot(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  inFlight: Pick<RequestsInFlight, "responded">,
): void {
  inFlight.responded(raw);
  if (raw.headers.expect !== undefined) reply.raw.writeContinue();
}
