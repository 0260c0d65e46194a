// The cases that every SDK passes: what a faulty server answers, what a client does, and what is seen. Each
// names the fault of the driver with which it must fail. The rules are those of docs/sdk-contract.md.

import { eventually } from "@annals/testing";
import { type Answering, failure, json, type ScriptedServer } from "../sdk/scripted-server.ts";
import type { Fault } from "./typescript/faults.ts";
import type { Driver } from "./drivers.ts";

export interface Case {
  readonly name: string;
  readonly fault: Fault;
  /** Members of the command `open`. */
  readonly open?: object;
  readonly answer: Answering;
  /** Returns what was seen. */
  readonly run: (driver: Driver, server: ScriptedServer) => Promise<unknown>;
  readonly seen: unknown;
}

export const HOUR_MS = 3_600_000;

export const stored: Answering = (_, response) => json(response, 201, { data: [] });
const cut: Answering = (_, response) => response.destroy();
const broken: Answering = (_, response) => failure(response, 500, "server_error");
const proxy: Answering = (_, response) => void response.writeHead(503).end("<html>");
const limited =
  (retryAfter: string, type = "rate_limit_exceeded"): Answering =>
  (_, response) =>
    failure(response, 429, type, { "retry-after": retryAfter });
/** Each answer once, and then success. */
const first =
  (...answers: readonly Answering[]): Answering =>
  (received, response, count) =>
    (answers[count - 1] ?? stored)(received, response, count);

function actionsIn(body: string): string[] {
  const { events } = JSON.parse(body === "" ? '{"events":[]}' : body) as {
    events: { action: string }[];
  };
  return events.map(({ action }) => action);
}

export const sent = ({ received }: ScriptedServer): string[] =>
  received.map(({ body }) => actionsIn(body).join(" "));

/** Equal keys have equal numbers. */
function keys({ received }: ScriptedServer): number[] {
  const all = received.map(({ headers }) => headers["idempotency-key"]);
  return all.map((key) => [...new Set(all)].indexOf(key));
}

/** Refuses events by name, or without one. */
const refusing =
  (bad: readonly string[], isNamed: boolean): Answering =>
  (received, response) => {
    const details = actionsIn(received.body).flatMap((action, at) =>
      bad.includes(action) ? [{ field: `events[${at}].action`, message: "is bad" }] : [],
    );
    if (details.length === 0) json(response, 201, { data: [] });
    else failure(response, 422, "validation_error", {}, isNamed ? details : []);
  };

async function flushed(driver: Driver, server: ScriptedServer): Promise<unknown> {
  await driver.track("a1", "a2", "a3", "a4", "a5");
  await driver.during("flush", 60_000);
  const { drops } = await driver.send("drops");
  return [sent(server), keys(server), drops];
}

/** How often a batch was sent before a time, and after it. */
const around = (ms: number) => async (driver: Driver, server: ScriptedServer) => {
  await driver.track("a1");
  void driver.send("flush");
  await eventually("the first attempt", () => server.received.length > 0);
  await driver.send("advance", { ms: ms - 1 });
  const before = server.received.length;
  await driver.send("advance", { ms: 1 });
  return [before, server.received.length];
};

const STALL = { type: "authentication_error", status: 401, waiting: 1 };
const ALL = "a1 a2 a3 a4 a5";
const refused = (actions: readonly string[]) => ({
  reason: "refused",
  actions,
  type: "validation_error",
  status: 422,
});

export const CASES: readonly Case[] = [
  {
    name: "order: a batch waits for the one before it",
    fault: "no-order",
    open: { batch_events: 2 },
    answer: first(broken),
    run: flushed,
    seen: [["a1 a2", "a1 a2", "a3 a4", "a5"], [0, 0, 1, 2], []],
  },
  {
    name: "size: a batch has no more events",
    fault: "no-bound",
    open: { batch_events: 3 },
    answer: stored,
    run: flushed,
    seen: [["a1 a2 a3", "a4 a5"], [0, 1], []],
  },
  {
    name: "bytes: a batch has no more bytes",
    fault: "no-bound",
    open: { batch_bytes: 600 },
    answer: stored,
    run: async (driver, server) => {
      const metadata = { text: "x".repeat(200) };
      for (const action of ["a1", "a2", "a3"])
        await driver.send("track", { event: { action, metadata } });
      await driver.send("flush");
      return sent(server);
    },
    seen: ["a1 a2", "a3"],
  },
  {
    name: "wait: a batch is sent when its first event has waited",
    fault: "no-bound",
    open: { max_wait_ms: 700 },
    answer: stored,
    run: async (driver, server) => {
      await driver.track("a1", "a2");
      await driver.send("advance", { ms: 699 });
      const before = server.received.length;
      await driver.send("advance", { ms: 1 });
      return [before, sent(server)];
    },
    seen: [0, ["a1 a2"]],
  },
  {
    name: "key: all attempts of a batch have one",
    fault: "new-key-per-attempt",
    answer: first(cut, broken, limited("4"), proxy),
    run: flushed,
    seen: [Array(5).fill(ALL), Array(5).fill(0), []],
  },
  {
    name: "429 with seconds: never before",
    fault: "no-retry-after",
    answer: first(limited("17")),
    run: around(17_000),
    seen: [1, 2],
  },
  {
    name: "429 with a date: never before",
    fault: "no-retry-after",
    answer: first(limited("Sat, 31 Jan 2026 09:30:20 GMT")),
    run: around(20_000),
    seen: [1, 2],
  },
  {
    name: "500: repeated",
    fault: "failure-is-success",
    answer: first(broken, broken),
    run: flushed,
    seen: [Array(3).fill(ALL), [0, 0, 0], []],
  },
  {
    name: "cut: repeated with its key, since it may be stored",
    fault: "failure-is-success",
    answer: first(cut, cut),
    run: flushed,
    seen: [Array(3).fill(ALL), [0, 0, 0], []],
  },
  {
    name: "silent: an attempt ends at its time",
    fault: "failure-is-success",
    open: { timeout_ms: 50 },
    answer: first(() => {}),
    // A slow machine may need further attempts.
    run: async (driver, server) => {
      await flushed(driver, server);
      const { drops } = await driver.send("drops");
      return [
        server.received.length > 1,
        new Set(sent(server)).size,
        new Set(keys(server)).size,
        drops,
      ];
    },
    seen: [true, 1, 1, []],
  },
  {
    name: "redirect: not followed",
    fault: "redirects-followed",
    answer: first((_, response) => void response.writeHead(302, { location: "/elsewhere" }).end()),
    run: async (driver, server) => {
      await flushed(driver, server);
      return server.received.map(({ method, path }) => `${method} ${path}`);
    },
    seen: ["POST /v1/events/batch", "POST /v1/events/batch"],
  },
  {
    name: "401, then a new key: asked for before each attempt",
    fault: "key-kept",
    open: { keys: ["old", "new"] },
    answer: (received, response, count) =>
      (received.headers.authorization === "Bearer new" ? stored : denied)(
        received,
        response,
        count,
      ),
    run: async (driver, server) => {
      await driver.track("a1");
      await driver.send("advance", { ms: 1_500 });
      const { drops } = await driver.send("drops");
      return [server.received.map(({ headers }) => headers.authorization), drops];
    },
    seen: [["Bearer old", "Bearer new"], []],
  },
  {
    name: "stalled: it is said after 10 seconds, and then each minute",
    fault: "silent-stalls",
    answer: denied,
    run: async (driver) => {
      await driver.track("a1");
      await driver.send("advance", { ms: 80_000 });
      return (await driver.send("drops")).warnings;
    },
    seen: [STALL, STALL],
  },
  {
    name: "refused by name: the others are stored under another key",
    fault: "no-details",
    answer: refusing(["a2", "a4"], true),
    run: flushed,
    seen: [[ALL, "a1 a3 a5"], [0, 1], [refused(["a2", "a4"])]],
  },
  {
    name: "refused without a name: halved until it is alone",
    fault: "refuses-all",
    answer: refusing(["a3"], false),
    run: flushed,
    seen: [[ALL, "a1 a2 a3", "a1 a2", "a3", "a4 a5"], [0, 1, 2, 3, 4], [refused(["a3"])]],
  },
];

function denied(...[, response]: Parameters<Answering>): void {
  failure(response, 401, "authentication_error");
}
