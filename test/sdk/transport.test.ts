// Guarantee: the SDK repeats a call only where that is safe and can help, with the same Idempotency-Key,
// never before Retry-After; what it throws says type, request id and place, and never the API key.

import { Annals, AnnalsError, type AnnalsOptions, type AttemptResult } from "@annals/sdk";
import { expect, test } from "vitest";
import { ControlledClock } from "./controlled-clock.ts";
import { type Answering, failure, json, scriptedServer } from "./scripted-server.ts";

const KEY = "annals_sk_secret";
const EVENT = { action: "user.login" };

async function made(answer: Answering, options: Partial<AnnalsOptions> = {}) {
  const server = await scriptedServer(answer);
  const clock = new ControlledClock();
  const { baseUrl, received } = server;
  const annals = new Annals({ baseUrl, apiKey: KEY, clock, random: () => 0.5, ...options });
  return { annals, clock, received };
}

/** Fails as long as a test wants, then succeeds. */
function failing(times: number, fail: Answering): Answering {
  return (received, response, count) =>
    count <= times ? fail(received, response, count) : json(response, 200, { data: { id: "x" } });
}

const cut: Answering = (_, response) => response.destroy();
const broken: Answering = (_, response) => failure(response, 500, "server_error");

test.each([
  ["server errors", broken],
  ["cut connections", cut],
])("an event is sent again after %s, with the same key and with backoff", async (_, fail) => {
  const { annals, clock, received } = await made(failing(3, fail));
  const created = annals.events.create(EVENT);
  expect([await clock.next(), await clock.next(), await clock.next()]).toEqual([187.5, 375, 750]);
  expect(await created).toEqual({ id: "x" });
  const keys = new Set(received.map(({ headers }) => headers["idempotency-key"]));
  expect([received.length, keys.size]).toEqual([4, 1]);
  expect(received.every(({ body }) => body === JSON.stringify(EVENT))).toBe(true);
});

test("Retry-After is honoured, for every call", async () => {
  const limited: Answering = (_, response) =>
    failure(response, 429, "rate_limit_exceeded", { "retry-after": "17" });
  const { annals, clock, received } = await made(failing(1, limited));
  const created = annals.apiKeys.create({ name: "a" });
  expect(await clock.next()).toBe(17_500);
  await created;
  expect(received).toHaveLength(2);
});

test("a call that may have had its effect is not repeated", async () => {
  for (const fail of [broken, cut]) {
    const { annals, received } = await made(fail);
    await expect(annals.apiKeys.create({ name: "a" })).rejects.toThrow(AnnalsError);
    await expect(annals.exports.create()).rejects.toThrow(AnnalsError);
    expect(received).toHaveLength(2);
  }
});

test.each<[string, (annals: Annals, idempotencyKey: string) => Promise<unknown>]>([
  ["an API key", ({ apiKeys }, key) => apiKeys.create({ name: "a" }, { idempotencyKey: key })],
  ["a key", ({ keys }, key) => keys.create({ name: "a" }, { idempotencyKey: key })],
  [
    "a webhook",
    ({ webhooks }, key) =>
      webhooks.create({ url: "https://a.invalid/", events: ["*"] }, { idempotencyKey: key }),
  ],
  [
    "a sink",
    ({ sinks }, key) =>
      sinks.create(
        { type: "http", config: { url: "https://a.invalid/" } },
        { idempotencyKey: key },
      ),
  ],
  ["a hold", ({ holds }, key) => holds.place({ from_sequence: 1 }, { idempotencyKey: key })],
])("the creation of %s with an idempotency key is repeated with it", async (_, create) => {
  const { annals, clock, received } = await made(failing(2, cut));
  const created = create(annals, "k1");
  await clock.next();
  await clock.next();
  await created;
  expect(received.map(({ headers }) => headers["idempotency-key"])).toEqual(["k1", "k1", "k1"]);
});

test("a deletion whose answer was lost has succeeded when nothing is found", async () => {
  const { annals, clock } = await made((_, response, count) =>
    count === 1 ? response.destroy() : failure(response, 404, "not_found"),
  );
  const deleted = annals.webhooks.delete("wh_1");
  await clock.next();
  await deleted;
  const other = await made((_, response) => failure(response, 404, "not_found"));
  await expect(other.annals.webhooks.delete("wh_1")).rejects.toMatchObject({ type: "not_found" });
});

test.each(["authentication_error", "scope_error", "plan_limit_exceeded", "validation_error"])(
  "%s is thrown at once, with everything that the answer says",
  async (type) => {
    const details = [{ field: "action", message: "is required" }];
    const headers = { "x-request-id": "req_1", "retry-after": "9" };
    const { annals, received } = await made((_, response) =>
      failure(response, 429, type, headers, details),
    );
    const error = await annals.events.create(EVENT).catch((thrown: unknown) => thrown);
    expect(AnnalsError.is(error, type as never)).toBe(true);
    expect(AnnalsError.is(error, "not_found")).toBe(false);
    expect(error).toMatchObject({
      type,
      status: 429,
      requestId: "req_1",
      retryAfterMs: 9_000,
      details,
    });
    expect(JSON.stringify(error) + String(error)).not.toContain(KEY);
    expect(received).toHaveLength(1);
  },
);

test("after the last attempt the error is thrown; a Retry-After beyond the bound is not waited for", async () => {
  const { annals, clock, received } = await made(broken, { maxRetries: 2 });
  const created = annals.events.create(EVENT).catch((thrown: unknown) => thrown);
  await clock.next();
  await clock.next();
  expect(await created).toMatchObject({ type: "server_error", status: 500 });
  expect(received).toHaveLength(3);
  const later = await made((_, response) =>
    failure(response, 429, "rate_limit_exceeded", { "retry-after": "3600" }),
  );
  await expect(later.annals.events.create(EVENT)).rejects.toMatchObject({
    retryAfterMs: 3_600_000,
  });
});

test("an answer of a proxy is an error of a known type, and a redirect is not followed", async () => {
  const { annals, received } = await made(
    (_, response) =>
      void response.writeHead(302, { location: "https://elsewhere.invalid/" }).end("<html>"),
    { maxRetries: 0 },
  );
  await expect(annals.events.get("evt_1")).rejects.toMatchObject({ type: "server_error" });
  expect(received).toHaveLength(1);
});

test("a call ends at its timeout, and at once when its signal is aborted", async () => {
  const { annals } = await made(() => {}, { maxRetries: 0 });
  await expect(annals.events.get("evt_1", { timeoutMs: 20 })).rejects.toMatchObject({
    type: "timeout_error",
  });
  const stop = new AbortController();
  const asked = annals.events.get("evt_1", { signal: stop.signal });
  stop.abort(new Error("stopped"));
  await expect(asked).rejects.toThrow("stopped");
});

test("each attempt is observed, and sends the headers of its span", async () => {
  const seen: [number, AttemptResult][] = [];
  const { annals, clock, received } = await made(failing(1, broken), {
    observe: ({ attempt, operation, path }) => ({
      headers: { traceparent: `${operation} ${path} ${attempt}` },
      end: (result) => seen.push([attempt, result]),
    }),
  });
  const created = annals.events.create(EVENT);
  await clock.next();
  await created;
  expect(received.map(({ headers }) => headers["traceparent"])).toEqual([
    "create-event /events 1",
    "create-event /events 2",
  ]);
  expect(seen).toMatchObject([
    [1, { status: 500, error: { type: "server_error" } }],
    [2, { status: 200, error: undefined }],
  ]);
});

test("an id cannot lead to another route, and wrong settings are refused by name", async () => {
  const { annals, received } = await made((_, response) => json(response, 200, { data: {} }));
  await annals.events.get("../webhooks?x=1#y");
  expect(received[0]?.path).toBe("/v1/events/..%2Fwebhooks%3Fx%3D1%23y");
  expect(() => annals.events.get("..")).toThrow("id");
  expect(() => new Annals({ baseUrl: "ftp://x", apiKey: KEY })).toThrow("baseUrl");
  expect(() => new Annals({ baseUrl: "http://x", apiKey: "" })).toThrow("apiKey");
});

test("a key that is replaced is asked for before each attempt", async () => {
  let count = 0;
  const { annals, clock, received } = await made(failing(1, broken), {
    apiKey: () => Promise.resolve(`key ${(count += 1)}`),
  });
  const created = annals.events.create(EVENT);
  await clock.next();
  await created;
  expect(received.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer key 1",
    "Bearer key 2",
  ]);
});

test("a space and a plus sign in a filter are sent so that no service can confuse them", async () => {
  const page = { data: [], has_more: false, next_cursor: null };
  const { annals, received } = await made((_, response) => json(response, 200, page));
  await annals.events.list({ action: "signed in", actor_id: ["alice+1@example.com", "é"] }).page();
  expect(received[0]?.path).toBe(
    "/v1/events?action=signed%20in&actor_id=alice%2B1%40example.com&actor_id=%C3%A9",
  );
});
