// The cases that every SDK with a spool passes, each with the fault with which it must fail. The rules are
// those of docs/sdk-contract.md and docs/spool-format.md.

import { type Answering, failure } from "../sdk/scripted-server.ts";
import { freePort } from "./bound-cases.ts";
import { HOUR_MS, stored } from "./cases.ts";
import { leaveSpooled, line, lineOf } from "./left-spool.ts";
import { ODD_EVENT } from "./odd-event.ts";
import type { SpoolWorld } from "./spool-world.ts";
import type { Fault } from "./typescript/faults.ts";

export interface SpoolCase {
  readonly name: string;
  readonly fault: Fault;
  readonly answer: Answering;
  /** Returns what was seen. */
  readonly run: (world: SpoolWorld) => Promise<unknown>;
  readonly seen: unknown;
}

const silent: Answering = () => {};
const cut: Answering = (_, response) => response.destroy();
const broken: Answering = (_, response) => failure(response, 503, "server_error");
const refusing =
  (bad: string): Answering =>
  (received, response, count) => {
    const { events } = JSON.parse(received.body) as { events: { action: string }[] };
    const at = events.findIndex(({ action }) => action === bad);
    if (at < 0) return stored(received, response, count);
    failure(response, 422, "validation_error", {}, [{ field: `events[${at}]`, message: "bad" }]);
  };

/** A new process sends what it finds. */
export async function sentByNext(world: SpoolWorld, open: object = {}): Promise<void> {
  const next = await world.start(open);
  await next.during("flush", 60_000);
}

export const QUIET = { max_wait_ms: 3_600_000 };

export const SPOOL_CASES: readonly SpoolCase[] = [
  {
    name: "killed before a batch is complete: the next process sends it",
    fault: "no-spool",
    answer: stored,
    run: async (world) => {
      const first = await world.start(QUIET);
      await first.track("a1", "a2");
      await first.end();
      await sentByNext(world);
      return [world.actions(), world.files()];
    },
    seen: [["a1 a2"], []],
  },
  {
    name: "killed with batches that wait and one that may be stored: sent in order, under the same keys",
    fault: "new-key-per-attempt",
    answer: silent,
    run: async (world) => {
      const first = await world.start({ batch_events: 2 });
      await first.track("a1", "a2", "a3", "a4", "a5");
      await world.received(1);
      await first.end();
      world.answer(stored);
      await sentByNext(world);
      const keys = world.batches().map(({ key }) => key);
      return [world.actions(), keys.map((key) => keys.indexOf(key)), world.files()];
    },
    seen: [["a1 a2", "a1 a2", "a3 a4", "a5"], [0, 0, 2, 3], []],
  },
  {
    name: "killed after a claim: a third process sends it, and what the second has tracked afterwards",
    fault: "no-spool",
    answer: cut,
    run: async (world) => {
      const first = await world.start();
      await first.track("a1");
      await first.end();
      const second = await world.start({ now: "2026-01-31T09:31:00Z" });
      await second.track("a2");
      await second.send("advance", { ms: 1_000 });
      await world.received(1);
      await second.end();
      world.answer(stored);
      const before = world.actions().length;
      await sentByNext(world, { now: "2026-01-31T09:32:00Z" });
      return world.actions().slice(before);
    },
    seen: ["a1", "a2"],
  },
  {
    name: "killed in a refusal: the request of the parent is repeated, and its rest has its own key",
    fault: "no-details",
    answer: refusing("a2"),
    run: async (world) => {
      const all = line("a1") + line("a2") + line("a3");
      leaveSpooled(world.dir, {
        "0000000007.sent": all,
        "0000000007-1.ready": line("a1") + line("a3"),
      });
      const next = await world.start();
      await next.during("flush", 60_000);
      const { drops, kept } = await next.send("drops");
      return [world.actions(), world.keys(), world.files(), drops?.length, kept];
    },
    seen: [
      ["a1 a2 a3", "a1 a3"],
      ["0000000007", "0000000007-1"],
      ["0000000007.refused"],
      1,
      { refused: 1, unconfirmed: 0, damaged: 0, waiting: 0 },
    ],
  },
  {
    name: "a request is repeated byte for byte: with large numbers, other letters, spaces and escapes",
    fault: "events-rewritten",
    answer: cut,
    run: async (world) => {
      leaveSpooled(world.dir, { "0000000001.ready": lineOf(ODD_EVENT) });
      const first = await world.start();
      await world.received(1);
      await first.end();
      world.answer(stored);
      await sentByNext(world);
      const batches = world.server.received.filter(({ path }) => path === "/v1/events/batch");
      return [...new Set(batches.map(({ body }) => body))];
    },
    seen: [`{"events":[${ODD_EVENT}]}`],
  },
  {
    name: "the end of a key's life: kept as unconfirmed, and not sent again",
    fault: "times-forgotten",
    answer: stored,
    run: async (world) => {
      leaveSpooled(
        world.dir,
        { "0000000001.sent": line("a1"), "0000000002.ready": line("a2") },
        { sentHoursAgo: 24 },
      );
      const next = await world.start();
      await next.during("flush", 60_000);
      const { drops } = await next.send("drops");
      return [world.actions(), world.files(), drops];
    },
    seen: [
      ["a2"],
      ["0000000001.unconfirmed"],
      [{ reason: "unconfirmed", actions: ["a1"], type: null, status: null }],
    ],
  },
  {
    name: "killed in an attempt: the batch is marked with its time, and not sent after the end of its key's life",
    fault: "times-forgotten",
    answer: silent,
    run: async (world) => {
      const first = await world.start();
      await first.track("a1");
      await first.send("advance", { ms: 1_000 });
      await world.received(1);
      await first.end();
      world.answer(stored);
      const next = await world.start({ now: "2026-02-01T09:30:00Z" });
      await next.during("flush", 60_000);
      return [world.actions(), world.files()];
    },
    seen: [["a1"], ["0000000001.unconfirmed"]],
  },
  {
    name: "two processes claim one folder: one of them sends it",
    fault: "claim-copies",
    answer: stored,
    run: async (world) => {
      leaveSpooled(world.dir, { "0000000001.ready": line("a1"), "0000000002.open": line("a2") });
      await Promise.all([sentByNext(world), sentByNext(world)]);
      return world.actions();
    },
    seen: ["a1", "a2"],
  },
  {
    name: "the folder of another account is not sent",
    fault: "any-account",
    answer: stored,
    run: async (world) => {
      leaveSpooled(world.dir, { "0000000001.ready": line("b1") }, { account: "acct_b" });
      const driver = await world.start();
      await driver.track("a1");
      await driver.during("flush", 60_000);
      return [world.actions(), world.files()];
    },
    seen: [["a1"], ["0000000001.ready"]],
  },
  {
    name: "a paused owner that wakes up: its folder is another's, and it makes a new one",
    fault: "claim-copies",
    answer: stored,
    run: async (world) => {
      const owner = await world.start(QUIET);
      await owner.track("a1");
      owner.signal("SIGSTOP");
      world.untouch();
      await sentByNext(world);
      owner.signal("SIGCONT");
      await owner.track("a2");
      await owner.during("flush", 0);
      const keys = world.batches().map(({ key }) => key);
      return [world.actions(), new Set(keys).size];
    },
    seen: [["a1", "a2"], 2],
  },
  {
    name: "an outage of 48 hours with a restart in it: nothing is dropped",
    fault: "no-spool",
    answer: stored,
    run: async (world) => {
      const nowhere = { base_url: `http://127.0.0.1:${await freePort()}` };
      const first = await world.start(nowhere);
      await first.track("a1");
      for (let hours = 0; hours < 24; hours += 8)
        await first.send("advance", { ms: 8 * HOUR_MS, at_once: true });
      await first.end();
      const second = await world.start({ ...nowhere, now: "2026-02-01T09:30:00Z" });
      await second.track("a2");
      for (let hours = 0; hours < 24; hours += 8)
        await second.send("advance", { ms: 8 * HOUR_MS, at_once: true });
      await second.end();
      await sentByNext(world, { now: "2026-02-02T09:30:00Z" });
      return [world.actions(), world.files()];
    },
    seen: [["a1", "a2"], []],
  },
  {
    name: "a used-up quota: the batch waits for the next month",
    fault: "no-spool",
    answer: (received, response, count) =>
      count > 1
        ? stored(received, response, count)
        : failure(response, 429, "plan_limit_exceeded", { "retry-after": "777600" }),
    run: async (world) => {
      const driver = await world.start();
      await driver.track("a1");
      await driver.send("advance", { ms: 1_000 });
      await driver.send("advance", { ms: 216 * HOUR_MS + 1_000, at_once: true });
      await driver.during("flush", 60_000);
      return [world.actions(), (await driver.send("drops")).drops];
    },
    seen: [["a1", "a1"], []],
  },
  {
    name: "close: what is not sent stays, and a next client sends it at once",
    fault: "no-spool",
    answer: broken,
    run: async (world) => {
      const first = await world.start();
      await first.track("a1");
      const closed = first.send("close", { ms: 5_000 });
      await world.received(1);
      await first.send("advance", { ms: 5_000 });
      await closed;
      const { drops } = await first.send("drops");
      const before = world.actions().length;
      world.answer(stored);
      await sentByNext(world);
      return [drops, world.actions().slice(before)];
    },
    seen: [[], ["a1"]],
  },
];
