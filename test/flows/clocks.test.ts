// Guarantee: no clock that is wrong, or was for a moment, spoils a chain. A replica whose clock differs from
// PostgreSQL's by more than five seconds is not ready and appends nothing; it recovers alone as soon as its
// clock is right. If all clocks were ahead together, created_at goes on from the right time behind a record
// that says so, and decreases nowhere else, also if ledgers have restarted.

import type { StackProcess } from "@annals/local";
import { type Answer, eventually, type HttpClient, newClient } from "@annals/testing";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type MovingClocks, startMovingClocks } from "../system/moving-clocks.ts";

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
/** Far less than any step, far more than the test takes. */
const NEAR_MS = 1_200_000;

let clocks: MovingClocks;

beforeAll(async () => {
  clocks = await startMovingClocks(inject("stack"), { ledger: 2 });
});
afterAll(() => clocks.stop());

const processesOf = (service: string): StackProcess[] =>
  clocks.stack.processes.filter((each) => each.service === service);

/** Stores an event with each client, and reads its list. */
async function askAll(clients: readonly HttpClient[]): Promise<Answer[]> {
  const answers = await Promise.all(
    clients.map(async (client) => [
      await client.post("/v1/events", { action: "a" }),
      await client.get("/v1/events"),
    ]),
  );
  return answers.flat();
}

const statusesOf = (answers: readonly Answer[]) => [
  ...new Set(answers.map(({ status }) => status)),
];

/** The chain in its order. */
async function eventsOf(client: HttpClient) {
  const { body } = await client.get("/v1/events?limit=100");
  const events = body.data as { action: string; created_at: string; metadata: object }[];
  return events.toReversed();
}

async function newClients(count: number): Promise<HttpClient[]> {
  const accounts = await Promise.all(Array.from({ length: count }, () => newClient(clocks.stack)));
  return accounts.map(({ client }) => client);
}

/** The gateway learns the time of the database from keys, so it is the last one. */
async function moveAll(client: HttpClient, seconds: number): Promise<void> {
  await clocks.moveAll(seconds);
  await eventually(
    "requests are served",
    async () => (await client.get("/v1/events")).status === 200,
  );
}

const isNow = (time: string) => Math.abs(Date.parse(time) - Date.now()) < NEAR_MS;

test.each([
  ["a ledger a day ahead", "ledger", DAY_S],
  ["a ledger a month ahead", "ledger", 30 * DAY_S],
  ["a ledger an hour behind", "ledger", -HOUR_S],
  ["keys a day ahead", "keys", DAY_S],
  ["a gateway a day ahead", "gateway", DAY_S],
])(
  "%s is not ready and appends nothing, and no request fails once it is right",
  async (_, service, seconds) => {
    const [moved] = processesOf(service);
    if (!moved) throw new Error(`no ${service}`);
    // Accounts of either ledger.
    const clients = await newClients(12);
    expect(statusesOf(await askAll(clients))).toEqual([201, 200]);

    await clocks.move(moved, seconds);
    await eventually("it is not ready", async () => !(await clocks.isReady(moved)));
    const fault = await (await fetch(`${moved.adminUrl}/readyz`)).text();
    expect(fault).toMatch(/^clock: the clock is \d+\.\d s (?:ahead of|behind) the database's/mu);
    const metrics = await (await fetch(`${moved.adminUrl}/metrics`)).text();
    const offset = /^annals_clock_offset_seconds\{.*\} (\S+)$/mu.exec(metrics)?.[1];
    expect(Math.abs(Number(offset) - seconds)).toBeLessThan(5);
    const refused: Answer[] = [];
    // Few calls admit many requests, and those may reach the other replica of keys.
    await eventually("some are refused", async () => {
      refused.push(...(await askAll(clients)).filter(({ status }) => status >= 400));
      return refused.length > 0;
    });
    for (const { body, headers, status } of refused) {
      expect(status).toBe(500);
      expect(body.error.type).toBe("server_error");
      expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    }

    await clocks.move(moved, 0);
    await eventually("it is ready", () => clocks.isReady(moved));
    expect(statusesOf(await askAll(clients))).toEqual([201, 200]);
    for (const client of clients) {
      const events = await eventsOf(client);
      expect(events.every(({ created_at: at }) => isNow(at))).toBe(true);
      expect(events.map(({ action }) => action)).not.toContain("annals.clock");
    }
  },
);

test.each([
  ["a day", DAY_S, false],
  ["an hour, and the ledgers restart", HOUR_S, true],
])(
  "all clocks were ahead by %s: times go on from the right one, behind a record",
  async (_, seconds, restarts) => {
    const [client] = await newClients(1);
    if (!client) throw new Error("no client");
    expect((await client.post("/v1/events", { action: "a" })).status).toBe(201);
    await moveAll(client, seconds);
    expect((await client.post("/v1/events", { action: "ahead" })).status).toBe(201);
    await moveAll(client, 0);
    if (restarts) {
      for (const ledger of processesOf("ledger")) {
        await ledger.stop();
        ledger.start();
        await eventually("the ledger is ready", () => clocks.isReady(ledger));
      }
    }
    expect(statusesOf(await askAll([client]))).toEqual([201, 200]);
    expect((await client.post("/v1/events", { action: "b" })).status).toBe(201);

    const events = await eventsOf(client);
    expect(events.map(({ action }) => action)).toEqual(["a", "ahead", "annals.clock", "a", "b"]);
    const times = events.map(({ created_at: at }) => at);
    expect(times.map(isNow)).toEqual([true, false, true, true, true]);
    const decreases = times.flatMap((at, index) => (at < (times[index - 1] ?? "") ? [index] : []));
    expect(decreases).toEqual([2]);
    expect(events[2]?.metadata).toMatchObject({ head_time: times[1], replica_time: times[2] });
    expect((await client.get("/v1/verify")).body.data).toMatchObject({ valid: true });
  },
);
