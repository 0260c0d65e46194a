// Guarantee: while every backend of the services in PostgreSQL is terminated each second
// (pg_terminate_backend), nothing acknowledged is lost and nothing is stored twice; requests are refused in
// the error shape or answered, and everything is served as soon as it ends.

import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { feltBy } from "./burst.ts";
import { report } from "../system/report.ts";
import { allServing, retryFaults, startTestbed, type Testbed } from "../system/testbed.ts";

const { forMs } = inject("form").backendTermination;
const WRITERS = 32;
const EVERY_MS = 1_000;
/** Where no append felt it, it goes on for at most so much longer. */
const MAX_MORE_MS = 60_000;

let bed: Testbed;

beforeAll(async () => {
  bed = await startTestbed();
});
afterAll(() => bed?.stop());

/** Terminates every backend of a service; resolves to how many there were. */
async function terminateBackends(): Promise<number> {
  const ended = await bed.owner.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'annals-%'",
  );
  return ended.length;
}

test(`every backend is terminated each second for ${forMs / 1_000} s under load`, async () => {
  const services = bed.stack.processes.filter(({ adminUrl }) => adminUrl !== undefined);
  const pids = services.map((one) => one.pid());
  const { load, chain, audit } = bed;
  const writers = load();
  writers.start(WRITERS);
  let sessions = 0;
  const end = performance.now() + forMs;
  const isDue = (now: number) =>
    now < end || (feltBy(writers.appends) === 0 && now < end + MAX_MORE_MS);
  for (; isDue(performance.now()); await pause(EVERY_MS)) {
    sessions += await terminateBackends();
  }
  await writers.stop();
  await allServing(bed.stack);
  const before = await chain();
  const retried = await writers.retryUnacknowledged();
  expect(retryFaults(retried, before)).toStrictEqual([]);
  expect(await audit(writers.appends)).toStrictEqual([]);
  // No process ended, and no connection of a client.
  expect(services.map((one) => one.pid())).toStrictEqual(pids);
  const first = writers.appends.map(({ outcomes }) => outcomes[0]);
  expect(first.filter((outcome) => outcome?.unanswered !== undefined)).toStrictEqual([]);
  const refused = first.filter((outcome) => outcome?.refused !== undefined).length;
  // Ends that no request felt would prove nothing.
  expect(refused).toBeGreaterThan(0);
  report({ sessions, appends: first.length, refused, retries: retried.length });
});
