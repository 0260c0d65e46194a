// Guarantee: an installation that nobody uses runs few statements, whatever its accounts are: none of its
// workers polls several times a second, and all together a handful. The rate is counted in sweeps of the
// audit outboxes, which come every 15 seconds, so a slow machine changes nothing. A system of its own: it
// must be at rest.

import { newClient } from "@annals/testing";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { Stack } from "@annals/local";
import { startConstellation } from "../system/constellation.ts";

const ACCOUNTS = 20;
/** How many sweeps each of the four services makes, on average. */
const SWEEPS = 4;
const SERVICES = 4;
/** Time between two requests for metrics, which cost CPU that a service at rest does not use. */
const ASK_MS = 1_000;
/** Between two sweeps. One that is polled each quarter of a second runs 60 times. */
const MOST_OF_ONE = 20;
const MOST = 90;

const COUNT = /^db_client_operation_duration_seconds_count\{(?<labels>.*)\} (?<count>\d+)$/gmu;
const NAME = /db_operation_name="(?<name>[^"]+)"/u;
const SWEEP = /\.list-audit-entries$/u;

let stack: Stack;

beforeAll(async () => {
  stack = await startConstellation({ shared: inject("stack") });
});
afterAll(() => stack.stop());

/** How often each statement of each service has run. */
async function counts(): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const { adminUrl, service } of stack.processes) {
    if (adminUrl === undefined) continue;
    const text = await (await fetch(`${adminUrl}/metrics`)).text();
    for (const { groups } of text.matchAll(COUNT)) {
      const name = `${service}: ${NAME.exec(groups?.["labels"] ?? "")?.groups?.["name"]}`;
      found.set(name, (found.get(name) ?? 0) + Number(groups?.["count"]));
    }
  }
  return found;
}

const since = (before: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>) =>
  new Map(Array.from(now, ([name, count]) => [name, count - (before.get(name) ?? 0)]));

const sum = (numbers: Iterable<number>): number =>
  Array.from(numbers).reduce((one, other) => one + other, 0);

/** What runs between two sweeps, on average over so many. */
async function perSweep(sweeps: number): Promise<ReadonlyMap<string, number>> {
  const before = await counts();
  for (;;) {
    await pause(ASK_MS);
    const ran = since(before, await counts());
    const swept = [...ran].filter(([name]) => SWEEP.test(name)).map(([, count]) => count);
    const made = sum(swept) / SERVICES;
    if (made >= sweeps) return new Map(Array.from(ran, ([name, count]) => [name, count / made]));
  }
}

test("between two sweeps no statement runs often, nor all of them together", async () => {
  for (let made = 0; made < ACCOUNTS; made += 1) {
    const { client } = await newClient(stack);
    expect((await client.post("/v1/events", { action: "a" })).status).toBe(201);
  }
  await perSweep(1);
  const ran = await perSweep(SWEEPS);
  expect([...ran].filter(([, count]) => count > MOST_OF_ONE)).toEqual([]);
  expect(sum(ran.values())).toBeLessThan(MOST);
});
