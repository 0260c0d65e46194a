// Guarantee: an address beyond its budget of requests without a valid key waits a second for each answer,
// holds no slot meanwhile, and no other client waits. So does an account beyond its budget of refusals. A
// flood of failures writes few lines, which count those that it did not write. A request whose client has
// left is no failure.

import { createLog } from "@annals/chassis";
import { AnnalsError, unavailable } from "@annals/errors";
import fastify, { type FastifyInstance } from "fastify";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { errorResponder } from "./error-responder.ts";
import { EarlyResponses } from "./early-response.ts";
import { RequestBudget } from "./request-budget.ts";
import { RequestsInFlight } from "./requests-in-flight.ts";

/** An address may use ten seconds of it at once. */
const PER_SECOND = 1;
const BURST = 10;
const DELAY_MS = 1_000;
const MAX_DELAYED = 2_000;
const MAX_LINES_PER_S = 20;
/** What is sent in one turn may be seen with that of the next. */
const MOST_PER_TURN = 100;

const share = { total: 10_000, share: 10_000 };

/** A gateway whose paths fail in their ways, and that admits no request. */
async function open() {
  const lines: { level: string; msg: string; dropped?: number }[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  const log = createLog({ service: "test", level: "info" }, { write });
  const earlyResponses = new EarlyResponses({ maxMs: 15_000 });
  // No time passes for it: a slow machine would give an address more.
  const refusals = new RequestBudget({ perSecond: PER_SECOND, now: () => 0 });
  const inFlight = new RequestsInFlight({
    shares: {
      requests: share,
      unadmitted: share,
      anonymous: share,
      bytes: share,
      unread_bytes: share,
      anonymous_bytes: share,
      downloads: share,
      lists: share,
      verifications: share,
      head_log: share,
    },
    transfers: { minBytesPerSecond: 1, bodyWindowMs: 60_000, responseWindowMs: 60_000 },
    addressOf: ({ headers }) => String(headers["from"]),
    isEnding: () => false,
    recognise: () => undefined,
    refuse: () => expect.unreachable(),
    metrics: { refused: () => {} },
  });
  const app = fastify({ logger: false });
  onTestFinished(() => app.close());
  app.decorateRequest("admission", undefined);
  app.setErrorHandler(errorResponder({ log, inFlight, earlyResponses, refusals }));
  app.get("/unknown-key", () => Promise.reject(new AnnalsError("unauthenticated", "No.")));
  app.get("/failing", () => Promise.reject(unavailable("Not now.")));
  // As an RPC fails that was cancelled with its client.
  app.get("/left", async ({ raw }) => {
    await once(raw.socket, "close");
    throw unavailable("Cancelled.");
  });
  for (const kind of ["not_found", "rate_limited"] as const) {
    app.get(`/${kind}`, (request) => {
      const accountId = String(request.headers["x-account"]);
      request.admission = { accountId } as typeof request.admission;
      return Promise.reject(new AnnalsError(kind, "Not for this account."));
    });
  }
  const statuses: number[] = [];
  app.addHook("onResponse", async (_request, { statusCode }) => void statuses.push(statusCode));
  let seen = 0;
  app.addHook("onRequest", async () => void (seen += 1));
  inFlight.attach(app.server);
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  /** Resolves to the time that the answer took. */
  const took = async (path: string, from: string, account = "acct_1"): Promise<number> => {
    const started = performance.now();
    const headers = { from, "x-account": account };
    await (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).text();
    return performance.now() - started;
  };
  return { app, inFlight, lines, port, seen: () => seen, statuses, took };
}

/** Resolves when the answers to the requests of all `from` have come although no timer ends meanwhile. */
async function answeredAtOnce(
  app: FastifyInstance,
  path: string,
  from: readonly string[],
): Promise<void> {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  try {
    for (const one of from)
      await app.inject({ path, headers: { from: one, "x-account": "acct_1" } });
  } finally {
    vi.useRealTimers();
  }
}

test("beyond the budget of an address its answers wait, without a slot, and no other does", async () => {
  const { app, inFlight, seen, took } = await open();
  const attacker = Array.from({ length: BURST - 1 }, () => "attacker");
  await answeredAtOnce(app, "/unknown-key", attacker);
  const delayed = took("/unknown-key", "attacker");
  const first = (others: Promise<unknown>) =>
    Promise.race([delayed.then(() => "delayed"), others.then(() => "others")]);
  await vi.waitFor(
    () => expect([seen(), inFlight.used().anonymous]).toEqual([BURST, 0]),
    DELAY_MS / 2,
  );
  expect(await first(took("/unknown-key", "another"))).toBe("others");
  // Neither what was admitted, nor what the service failed at.
  expect(await first(took("/not_found", "attacker"))).toBe("others");
  expect(await first(took("/failing", "attacker"))).toBe("others");
  // A timer may end a millisecond early.
  expect(await delayed).toBeGreaterThan(DELAY_MS - 10);
});

test("so do the refusals of an account that goes on beyond its shares, from any address", async () => {
  const { app, took } = await open();
  const addresses = Array.from({ length: BURST - 1 }, (_, n) => `address ${n}`);
  await answeredAtOnce(app, "/rate_limited", addresses);
  const delayed = took("/rate_limited", "one more").then(() => "delayed");
  const others = Promise.all([
    took("/rate_limited", "one more", "acct_2"),
    took("/not_found", "one more"),
  ]).then(() => "others");
  expect(await Promise.race([delayed, others])).toBe("others");
  await delayed;
});

test("the answers that wait are bounded: more are given at once, and few in a turn when they are due", async () => {
  const { app, seen } = await open();
  // The second passes when the test says so.
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const AT_ONCE = BURST - 1 + 50;
  let given = 0;
  const all = Array.from({ length: AT_ONCE + MAX_DELAYED }, () =>
    app
      .inject({ path: "/unknown-key", headers: { from: "attacker" } })
      .then(({ statusCode }) => (given += Number(statusCode === 401))),
  );
  while (seen() < all.length || given < AT_ONCE) await turn();
  for (let n = 0; n < 100; n += 1) await turn();
  expect(given).toBe(AT_ONCE);
  vi.advanceTimersByTime(DELAY_MS);
  // All are due, and do not hold up what others send meanwhile.
  let most = 0;
  while (given < all.length) {
    const before = given;
    await turn();
    most = Math.max(most, given - before);
  }
  expect(most).toBeLessThanOrEqual(MOST_PER_TURN);
});

test("a flood of failures writes few lines, and the next one counts the others", async () => {
  const { app, lines } = await open();
  let sent = 0;
  const fail = async () => {
    sent += 1;
    expect((await app.inject({ path: "/failing", headers: { from: "a" } })).statusCode).toBe(500);
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: 500 }, fail));
  const seconds = Math.ceil((performance.now() - started) / 1_000) + 1;
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.length).toBeLessThanOrEqual(seconds * MAX_LINES_PER_S);
  const flood = lines.length;
  const written = async () => {
    await fail();
    expect(lines.length).toBeGreaterThan(flood);
  };
  await vi.waitFor(written, { timeout: 5_000 });
  const dropped = lines.reduce((sum, line) => sum + (line.dropped ?? 0), 0);
  expect(dropped).toBeGreaterThan(0);
  expect(lines.length + dropped).toBe(sent);
});

test("a request whose client has left is neither answered nor a failure", async () => {
  const { inFlight, lines, port, seen, statuses } = await open();
  const socket = connect(port, "127.0.0.1");
  socket.write("GET /left HTTP/1.1\r\nHost: x\r\nFrom: a\r\n\r\n");
  await vi.waitFor(() => expect(seen()).toBe(1));
  socket.resetAndDestroy();
  await vi.waitFor(() =>
    expect(lines.map(({ msg }) => msg)).toStrictEqual(["client disconnected before the response"]),
  );
  await vi.waitFor(() => expect(inFlight.used().anonymous).toBe(0));
  expect(statuses).toStrictEqual([]);
});
