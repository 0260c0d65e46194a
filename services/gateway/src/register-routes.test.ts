// Guarantee: while events are being stored, the gateway holds the bytes that it sends and not a parsed
// body, which can take ten times its bytes. What is long or large takes of its account's share. Every read
// ends with its client, and an append does not. No answer is larger than the bound of its route.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { systemClock, Turns } from "@annals/contract";
import fastify from "fastify";
import { expect, onTestFinished, test, vi } from "vitest";
import { PAGE } from "./bounds.ts";
import type { Deps } from "./deps.ts";
import { registerRoutes } from "./register-routes.ts";
import { V1 } from "./v1.ts";
import { EventAppends } from "./events/event-appends.ts";

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

const nothing = (): void => {};

/** What bounds nothing. */
const unbounded = () => ({
  responded: nothing,
  begin: nothing,
  ended: nothing,
  readBody: nothing,
  takeBody: nothing,
  reserveResponse: nothing,
  signalOf: () => new AbortController().signal,
  acquire: async () => {},
});

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
  const inFlight = unbounded();
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
  ["GET", "/api-keys", ["lists"]],
])("%s %s takes %j of its account's share", async (method, url, expected) => {
  const taken: string[] = [];
  const inFlight = {
    ...unbounded(),
    acquire: async (_request: unknown, resource: string, accountId: string) => {
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

test("an answer beyond its bound of bytes is not sent: it is an error of the service", async () => {
  const page = (bytes: number) => async () => ({
    apiKeys: [{ id: "key_1", name: "x".repeat(bytes), keyPrefix: "", scopes: [], createdAt: "" }],
    next: "",
  });
  const statusWith = async (bytes: number) => {
    const app = fastify({ ajv: { customOptions: { strict: false } } });
    onTestFinished(() => app.close());
    app.decorateRequest("admission", undefined);
    app.addHook("onRequest", async (request) => {
      request.admission = { ...ADMISSION, plan: {} } as unknown as typeof request.admission;
    });
    const deps = { limits: LIMITS, keys: { listApiKeys: page(bytes) } } as unknown as Deps;
    registerRoutes(app, { deps, clock: systemClock(), inFlight: unbounded() });
    return (await app.inject({ method: "GET", url: "/api-keys" })).statusCode;
  };
  expect(PAGE.bytes).toBe(4 * 1024 * 1024);
  expect(await statusWith(Number(PAGE.bytes) - 1_024)).toBe(200);
  expect(await statusWith(Number(PAGE.bytes))).toBe(500);
});

/** Calls one route whose services answer nothing; resolves to the signals that the calls had. */
async function signalsOf(method: Method, path: string): Promise<(AbortSignal | undefined)[]> {
  const signals: (AbortSignal | undefined)[] = [];
  const called = (_request: unknown, options: { readonly signal?: AbortSignal } = {}) => {
    signals.push(options.signal);
    return Promise.reject(new Error("away"));
  };
  const client = new Proxy({}, { get: () => called });
  const given: Record<string, unknown> = { limits: LIMITS, turns: new Turns() };
  given["appends"] = new EventAppends({
    createEvents: called,
    appendEvents: () => expect.unreachable(),
  });
  const deps = new Proxy(given, { get: (known, name) => known[String(name)] ?? client });
  const app = fastify();
  onTestFinished(() => app.close());
  app.setValidatorCompiler(() => () => true);
  app.decorateRequest("admission", undefined);
  app.addHook("onRequest", async (request) => {
    const plan = { featuresLeftOut: [] };
    request.admission = { ...ADMISSION, plan } as unknown as typeof request.admission;
  });
  const inFlight = { ...unbounded(), signalOf: () => SIGNAL };
  registerRoutes(app, { deps: deps as unknown as Deps, clock: systemClock(), inFlight });
  const payload = method === "POST" ? { payload: { action: "a" } } : {};
  await app.inject({ method, url: urlOf(path), ...payload });
  return signals;
}

/** A path with what its parameters may be, and a query that no operation refuses. */
function urlOf(path: string): string {
  const url = path.replace(":level", "0").replace("*", "000").replaceAll(/:\w+/g, "one_1");
  return path.startsWith("/log/") ? `${url}?sequence_number=1&from=1` : url;
}

type Method = "DELETE" | "GET" | "POST";
const SIGNAL = new AbortController().signal;
const READS = V1.filter(([method]) => method === "GET").map(([, path]) => path);

test.each(READS)("GET %s: each call ends with the client", async (path) => {
  const signals = await signalsOf("GET", path);
  expect(signals.length).toBeGreaterThan(0);
  for (const signal of signals) expect(signal).toBe(SIGNAL);
});

test.each<[Method, string]>([
  ["POST", "/events"],
  ["DELETE", "/api-keys/:id"],
])("%s %s goes on without its client", async (method, path) => {
  expect(await signalsOf(method, path)).toStrictEqual([undefined]);
});
