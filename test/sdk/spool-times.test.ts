// Guarantee: a client with a spool looks every 30 seconds for what gone processes have left, shows every 20
// seconds that it lives while events wait, and flushes files to the disk as `sync` says.

import { Annals, type AnnalsOptions } from "@annals/sdk";
import { Spool, type SpoolOptions } from "@annals/sdk/spool";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { leaveSpooled, line } from "../clients/left-spool.ts";
import { ControlledClock } from "./controlled-clock.ts";
import { type Answering, json, scriptedServer } from "./scripted-server.ts";

const answer: Answering = ({ path }, response) =>
  path === "/v1/usage"
    ? json(response, 200, { data: { account_id: "acct_a" } })
    : json(response, 201, { data: [] });

function fake(...timers: ("clearTimeout" | "setInterval" | "setTimeout")[]): void {
  vi.useFakeTimers({ toFake: timers });
  onTestFinished(() => void vi.useRealTimers());
}

async function made(spooling: SpoolOptions = {}, options: Partial<AnnalsOptions> = {}) {
  const dir = fs.mkdtempSync(join(tmpdir(), "annals-spool-"));
  const server = await scriptedServer(answer);
  const clock = new ControlledClock();
  const spool = new Spool(dir, spooling);
  const given = { baseUrl: server.baseUrl, apiKey: "k", clock, tracking: { spool }, ...options };
  const annals = new Annals(given);
  onTestFinished(async () => {
    await annals.close(0);
    fs.rmSync(dir, { recursive: true, force: true });
  });
  return { annals, clock, dir, server };
}

test("what is left later is claimed after 30 seconds", async () => {
  fake("setInterval");
  const { annals, dir, server } = await made();
  await annals.flush();
  leaveSpooled(dir, { "0000000001.ready": line("a1") });
  const batches = () => server.received.filter(({ method }) => method === "POST").length;
  const seen: number[] = [];
  for (const ms of [29_999, 1]) {
    vi.advanceTimersByTime(ms);
    await annals.flush();
    seen.push(batches());
  }
  expect(seen).toEqual([0, 1]);
});

test("a client whose events wait shows every 20 seconds that it lives", async () => {
  fake("setInterval");
  const { annals, clock, dir } = await made();
  annals.track({ action: "a" });
  const [owner = ""] = fs.readdirSync(dir);
  const shown = () => fs.statSync(join(dir, owner, "owner.json")).mtimeMs;
  const began = clock.now();
  await clock.leap(500);
  const seen: number[] = [];
  for (const ms of [19_999, 1]) {
    vi.advanceTimersByTime(ms);
    seen.push(shown() - began);
  }
  expect(seen).toEqual([0, 500]);
});

interface Flushes {
  /** Of the file, before track() has returned, of two events. */
  readonly lines: number;
  /** Of the file, 100 ms later. */
  readonly later: number;
  /** Of complete files, of folders, and of the owner's file. */
  readonly others: boolean;
}

test.each<[NonNullable<SpoolOptions["sync"]>, Flushes]>([
  ["event", { lines: 2, later: 0, others: true }],
  ["batch", { lines: 0, later: 1, others: true }],
  ["none", { lines: 0, later: 0, others: false }],
])("sync %s", async (sync, expected) => {
  fake("setTimeout", "clearTimeout");
  const handle = await fs.promises.open(tmpdir());
  const others = [
    vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, "sync"),
    vi.spyOn(fs, "fsyncSync"),
  ];
  await handle.close();
  const lines = vi.spyOn(fs, "fdatasyncSync");
  const later = vi.spyOn(fs, "fdatasync");
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  const { annals } = await made({ sync });
  annals.track({ action: "a1" });
  annals.track({ action: "a2" });
  const counts = { lines: lines.mock.calls.length };
  vi.advanceTimersByTime(100);
  Object.assign(counts, { later: later.mock.calls.length });
  await annals.flush();
  const isFlushed = others.some(({ mock }) => mock.calls.length > 0);
  expect({ ...counts, others: isFlushed }).toEqual(expected);
});
