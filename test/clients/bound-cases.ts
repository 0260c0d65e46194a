// The cases about what is dropped, and how it is said, and the vectors of hashes and webhooks.

import { eventually } from "@annals/testing";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { type Answering, failure, scriptedServer } from "../sdk/scripted-server.ts";
import { type Case, HOUR_MS, sent, stored } from "./cases.ts";

const broken: Answering = (_, response) => failure(response, 500, "server_error");

/** A port at which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

const VECTORS = join(import.meta.dirname, "../vectors/hash-v1.json");

/** The service's vectors as one page, and that page with one letter changed. */
function pages(): [object, object] {
  const vectors = JSON.parse(readFileSync(VECTORS, "utf8")) as {
    event: { action: string };
    proof: object;
  }[];
  const page = (data: readonly object[]) => [{ data, proofs: vectors.map(({ proof }) => proof) }];
  const events = vectors.map(({ event }) => event);
  const changed = events.map((event, at) => (at === 0 ? { ...event, action: "x" } : event));
  return [page(events), page(changed)];
}

const SECRET = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
const NOW = Date.parse("2026-01-31T09:30:00Z");

/** Signed as docs/webhooks.md describes. */
function webhook(): object {
  const body = JSON.stringify({ id: "wh_evt_1", event: "webhook.test", data: {} });
  const key = Buffer.from(SECRET.slice("whsec_".length), "base64");
  const signed = `wh_evt_1.${NOW / 1_000}.${body}`;
  const headers = {
    "webhook-id": "wh_evt_1",
    "webhook-timestamp": String(NOW / 1_000),
    "webhook-signature": `v1,${createHmac("sha256", key).update(signed).digest("base64")}`,
  };
  return { body, headers, secret: SECRET, now: NOW };
}

export const BOUND_CASES: readonly Case[] = [
  {
    name: "full: the new events are dropped by name",
    fault: "no-bound",
    open: { max_events: 4 },
    answer: broken,
    run: async (driver) => {
      const tracked = await driver.track("a1", "a2", "a3", "a4", "a5");
      return [tracked, (await driver.send("drops")).drops];
    },
    seen: [
      [true, true, true, true, false],
      [{ reason: "full", actions: ["a5"], type: null, status: null }],
    ],
  },
  {
    name: "ready: waits until half of the buffer is free",
    fault: "ready-at-once",
    open: { max_events: 4, batch_events: 2 },
    answer: (received, response, count) =>
      (count === 1 ? broken : stored)(received, response, count),
    run: async (driver, server) => {
      await driver.track("a1", "a2", "a3", "a4");
      const attempts = driver.send("ready").then(() => server.received.length);
      await eventually("an attempt", () => server.received.length > 0);
      await driver.send("advance", { ms: 0 });
      await driver.send("advance", { ms: 1_000 });
      return (await attempts) > 1;
    },
    seen: true,
  },
  {
    name: "quota: dropped as such, and the next batch is tried",
    fault: "silent-drops",
    answer: (received, response, count) =>
      count > 1
        ? stored(received, response, count)
        : failure(response, 429, "plan_limit_exceeded", { "retry-after": "777600" }),
    run: async (driver, server) => {
      for (const action of ["a1", "a2"]) {
        await driver.track(action);
        await driver.send("flush");
      }
      return [sent(server), (await driver.send("drops")).drops];
    },
    seen: [
      ["a1", "a2"],
      [{ reason: "quota", actions: ["a1"], type: "plan_limit_exceeded", status: 429 }],
    ],
  },
  {
    name: "NaN: not stored as null",
    fault: "nan-as-null",
    answer: stored,
    run: async (driver) => {
      const event = { action: "a1" };
      const { tracked } = await driver.send("track", { event, not_a_number: true });
      return [tracked, (await driver.send("drops")).drops];
    },
    seen: [false, [{ reason: "unserializable", actions: ["a1"], type: null, status: null }]],
  },
  {
    name: "close: ends at its time, and names what is not stored",
    fault: "no-close",
    open: { batch_events: 2 },
    answer: broken,
    run: async (driver, server) => {
      await driver.track("a1", "a2", "a3");
      const closed = driver.send("close", { ms: 5_000 });
      await eventually("an attempt", () => server.received.length > 0);
      await driver.send("advance", { ms: 5_000 });
      await closed;
      const tracked = await driver.track("a4");
      const { drops = [] } = await driver.send("drops");
      return [tracked, drops.map((drop) => ({ ...drop, type: "", status: 0 }))];
    },
    seen: [
      [false],
      [
        { reason: "unconfirmed", actions: ["a1", "a2"], type: "", status: 0 },
        { reason: "closed", actions: ["a3"], type: "", status: 0 },
        { reason: "closed", actions: ["a4"], type: "", status: 0 },
      ],
    ],
  },
  {
    name: "the end of a key's life: unconfirmed, and not sent under another key",
    fault: "clock-paused",
    answer: (_, response) => failure(response, 500, "server_error", { "retry-after": "7200" }),
    run: async (driver, server) => {
      await driver.track("a1");
      for (let hours = 0; hours < 26; hours += 2)
        await driver.send("advance", { ms: 2 * HOUR_MS, at_once: true });
      const keys = server.received.map(({ headers }) => headers["idempotency-key"]);
      return [new Set(keys).size, (await driver.send("drops")).drops];
    },
    seen: [1, [{ reason: "unconfirmed", actions: ["a1"], type: "server_error", status: 500 }]],
  },
  {
    name: "an outage of 48 hours: nothing is dropped, and it is stored afterwards",
    fault: "failure-is-success",
    answer: stored,
    run: async (driver) => {
      const port = await freePort();
      await driver.send("open", {
        base_url: `http://127.0.0.1:${port}`,
        keys: ["k"],
        fault: driver.fault,
      });
      await driver.track("a1");
      for (let hours = 0; hours < 48; hours += 8)
        await driver.send("advance", { ms: 8 * HOUR_MS, at_once: true });
      const server = await scriptedServer(stored, port);
      await driver.send("advance", { ms: 11_000 });
      return [sent(server), (await driver.send("drops")).drops];
    },
    seen: [["a1"], []],
  },
  {
    name: "hashes: the vectors are valid, and not if a letter differs",
    fault: "verify-anything",
    answer: stored,
    run: async (driver) => {
      const answers = pages().map((page) => driver.send("verify", { pages: page }));
      return (await Promise.all(answers)).map(({ valid }) => valid);
    },
    seen: [true, false],
  },
  {
    name: "webhooks: what is signed is valid, and nothing else or later",
    fault: "verify-anything",
    answer: stored,
    run: async (driver) => {
      const signed = webhook();
      const all = [signed, { ...signed, body: "{}" }, { ...signed, now: NOW + 301_000 }];
      const answers = all.map((each) => driver.send("verify", { webhook: each }));
      return (await Promise.all(answers)).map(({ valid }) => valid);
    },
    seen: [true, false, false],
  },
];
