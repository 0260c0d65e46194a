// Guarantee: while events are being stored, the gateway holds the texts that it sends and not the parsed
// body, which can take ten times its bytes.

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
  const inFlight = { take: () => {}, readBody: () => {} };
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
