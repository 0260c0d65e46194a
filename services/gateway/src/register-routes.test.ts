// Guarantee: while events are being stored, the gateway holds the texts that it sends and not the parsed
// body, which can take ten times its bytes. What is long or large takes of its account's share.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { systemClock, Turns } from "@annals/contract";
import fastify from "fastify";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Deps } from "./deps.ts";
import { registerRoutes } from "./register-routes.ts";
import { EventAppends } from "./v1/events/event-appends.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const ADMISSION = { accountId: "acct_1", keyId: "key_1", scopes: [], limit: 1, remaining: 1 };
const LIMITS = {
  bodyMaxBytes: 1_000,
  bodyMaxValues: 100,
  batchBodyMaxBytes: 1_000,
  batchBodyMaxValues: 100,
  eventMaxBytes: 1_000,
  eventMaxDepth: 5,
  verifyTimeoutMs: 1_000,
};

test.each([
  ["/events", { action: "a" }],
  ["/events/batch", { events: [{ action: "a" }] }],
])("%s", async (url, payload) => {
  const isSent = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<never>();
  const createEvents = () => {
    isSent.resolve();
    return answer.promise;
  };
  const app = fastify({ ajv: { customOptions: { strict: false } } });
  onTestFinished(() => app.close());
  let body: WeakRef<object> | undefined;
  app.decorateRequest("admission", undefined);
  app.addHook("onRequest", async (request) => {
    request.admission = { ...ADMISSION, plan: {} } as unknown as typeof request.admission;
  });
  app.addHook("preHandler", async (request) => {
    body = new WeakRef(request.body as object);
  });
  const appends = new EventAppends({ createEvents, appendEvents: () => expect.unreachable() });
  const inFlight = { take: () => {}, takeInTime: async () => {}, readBody: () => {} };
  const deps = { appends, limits: LIMITS, turns: new Turns() } as unknown as Deps;
  registerRoutes(app, { deps, clock: systemClock(), inFlight });
  const answered = app.inject({ method: "POST", url, payload });
  await isSent.promise;
  await vi.waitFor(() => {
    collect();
    // Not the body itself: the failed assertion would hold it.
    expect(body?.deref() === undefined).toBe(true);
  });
  answer.reject(new Error("over"));
  expect((await answered).statusCode).toBe(500);
});

test.each<[method: "GET" | "POST", url: string, taken: string[]]>([
  ["GET", "/verify", ["verifications"]],
  ["GET", "/events", ["lists"]],
  ["GET", "/exports/exp_1/content", ["downloads"]],
  ["POST", "/events/batch", ["body"]],
  ["GET", "/api-keys", []],
])("%s %s takes %j of its account's share", async (method, url, expected) => {
  const taken: string[] = [];
  const inFlight = {
    take: () => {},
    takeInTime: async (_request: unknown, resource: string, accountId: string) => {
      expect(accountId).toBe(ADMISSION.accountId);
      taken.push(resource);
    },
    readBody: () => void taken.push("body"),
  };
  // What a service would do is of no interest: each call fails.
  const client = new Proxy({}, { get: () => () => Promise.reject(new Error("away")) });
  const given: Record<string, unknown> = { limits: LIMITS, turns: new Turns() };
  const deps = new Proxy(given, { get: (known, name) => known[String(name)] ?? client });
  const app = fastify({ ajv: { customOptions: { strict: false } } });
  onTestFinished(() => app.close());
  app.decorateRequest("admission", undefined);
  app.addHook("onRequest", async (request) => {
    request.admission = { ...ADMISSION, plan: {} } as unknown as typeof request.admission;
  });
  registerRoutes(app, { deps: deps as unknown as Deps, clock: systemClock(), inFlight });
  const payload = method === "POST" ? { payload: { events: [{ action: "a" }] } } : {};
  await app.inject({ method, url, ...payload });
  expect(taken).toEqual(expected);
});
