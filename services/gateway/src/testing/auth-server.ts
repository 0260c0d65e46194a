// A server of the routes under /auth with a stand-in for the keys service. Imported by tests only.

import fastify from "fastify";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished } from "vitest";
import { AUTH } from "../auth.ts";
import {
  AUTH_PER_SECOND,
  type AuthOptions,
  CALLBACKS_PER_SECOND,
  serveAuth,
} from "../auth/serve-auth.ts";
import { readJsonBodies } from "../edge/json-body.ts";
import { RequestBudget } from "../edge/request-budget.ts";
import { RequestsInFlight } from "../edge/requests-in-flight.ts";
import { resourceShares } from "../edge/resources.ts";
import { errorResponse } from "../errors.ts";

/** What a browser sends with a request of a page of the same origin. */
export const SAME = { "sec-fetch-site": "same-origin" };

const MANY = 1_000_000;
const CONFIG = {
  requestsMaxUnderWay: MANY,
  requestsMaxPerAccount: MANY,
  bytesMaxPerAccount: MANY,
  readsMaxPerAccount: MANY,
};
export const ORIGIN = "https://audit.example.com";
export const SESSION = "__Host-annals-session";

export interface Asked {
  readonly rpc: string;
  readonly request: Readonly<Record<string, unknown>>;
}

/** `answers` are those of RPCs; an error is thrown. */
export async function openAuth(
  answers: Readonly<Record<string, object>> = {},
  isSecure = true,
  hasKeyLogin = true,
) {
  const asked: Asked[] = [];
  const refused: string[] = [];
  let nowMs = 0;
  const metrics = { refused: (reason: string) => void refused.push(reason) };
  const inFlight = new RequestsInFlight({
    shares: resourceShares(CONFIG),
    transfers: { minBytesPerSecond: 1, bodyWindowMs: 60_000, responseWindowMs: 60_000 },
    addressOf: ({ headers }) => headers["from"] ?? "a",
    isEnding: () => false,
    recognise: () => undefined,
    refuse: () => expect.unreachable(),
    metrics,
  });
  const app = fastify({ forceCloseConnections: true, genReqId: () => "req_1" });
  onTestFinished(() => app.close());
  inFlight.attach(app.server);
  readJsonBodies(app, { inFlight, limits: { bodyMaxValues: 100 }, turns: undefined as never });
  app.setErrorHandler((error, request, reply) => {
    const { body, headers, status } = errorResponse(error, request.id);
    reply.code(status).headers(headers).send(body);
    inFlight.responded(request.raw);
  });
  const keys = new Proxy(
    {},
    {
      get: (_, rpc: string) => async (request: Asked["request"]) => {
        asked.push({ rpc, request });
        const answer = answers[rpc] ?? {};
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
  ) as AuthOptions["keys"];
  const budget = (perSecond: number) => new RequestBudget({ perSecond, now: () => nowMs });
  const options = {
    budgets: { all: budget(AUTH_PER_SECOND), callbacks: budget(CALLBACKS_PER_SECOND) },
    hasKeyLogin,
    inFlight,
    ipOf: () => "192.0.2.7",
    keys,
    metrics,
    publicOrigin: { origin: ORIGIN, isSecure },
  };
  await app.register((own) => serveAuth(own, AUTH, options), { prefix: "/auth" });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const send = async (method: string, path: string, init: RequestInit = {}) => {
    const url = `http://127.0.0.1:${port}/auth${path}`;
    const response = await fetch(url, { method, redirect: "manual", ...init });
    const text = await response.text();
    return {
      status: response.status,
      location: response.headers.get("location"),
      cookies: response.headers.getSetCookie(),
      body: text === "" ? undefined : JSON.parse(text),
    };
  };
  const get = (path: string, headers: Record<string, string> = {}) =>
    send("GET", path, { headers });
  const post = (path: string, headers: Record<string, string>, body: unknown = {}) =>
    send("POST", path, {
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  return { asked, get, post, refused, send, sleep: (ms: number) => (nowMs += ms) };
}
