// Guarantee: a client with a spool looks every 30 seconds for what gone processes have left, shows every 20
// seconds that it lives while events wait, and flushes files to the disk as `sync` says.

import { Annals, type TrackingOptions } from "@annals/sdk";
import { Spool, type SpoolOptions } from "@annals/sdk/spool";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
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

async function made(spooling: SpoolOptions = {}, batches: TrackingOptions = {}) {
  const dir = fs.mkdtempSync(join(tmpdir(), "annals-spool-"));
  const server = await scriptedServer(answer);
  const clock = new ControlledClock();
  const spool = new Spool(dir, spooling);
  const tracking = { spool, ...batches };
  const annals = new Annals({ baseUrl: server.baseUrl, apiKey: "k", clock, tracking });
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

/** What is flushed, by the function that does it. */
async function flushes() {
  const handle = await fs.promises.open(tmpdir());
  const synced = vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, "sync");
  await handle.close();
  const opened = vi.spyOn(fs.promises, "open");
  const spies = { synced, now: vi.spyOn(fs, "fsyncSync"), lines: vi.spyOn(fs, "fdatasyncSync") };
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  /** The names of the files that it opens and flushes, at once or when they are open. */
  const after = async (act: () => void): Promise<string[]> => {
    opened.mockClear();
    act();
    const names = opened.mock.calls.map(([path]) => basename(String(path)));
    const handles = await Promise.all(opened.mock.results.map(({ value }) => value));
    const flushed = names.filter((_, at) => synced.mock.contexts.includes(handles[at]));
    return flushed.map((name) => (name.includes(".") ? name : "the folder"));
  };
  return { ...spies, after };
}

const in100Ms = (): void => void vi.advanceTimersByTime(100);

interface Flushes {
  /** Of the file, before track() has returned, of two events. */
  readonly lines: number;
  /** Whatever is flushed 100 ms later. */
  readonly later: readonly string[];
  /** Of complete files, of folders, and of the owner's file. */
  readonly others: boolean;
}

test.each<[NonNullable<SpoolOptions["sync"]>, Flushes]>([
  ["event", { lines: 2, later: [], others: true }],
  ["batch", { lines: 0, later: ["0000000001.open", "the folder"], others: true }],
  ["none", { lines: 0, later: [], others: false }],
])("sync %s", async (sync, expected) => {
  fake("setTimeout", "clearTimeout");
  const { after, lines: flushed, now, synced } = await flushes();
  const { annals } = await made({ sync });
  annals.track({ action: "a1" });
  annals.track({ action: "a2" });
  const lines = flushed.mock.calls.length;
  const later = await after(in100Ms);
  await annals.flush();
  const others = [now, synced].some(({ mock }) => mock.calls.length > 0);
  expect({ lines, later, others }).toEqual(expected);
});

test("files that are complete, but wait to be sent, are flushed after 100 ms, too", async () => {
  fake("setTimeout", "clearTimeout");
  const { after } = await flushes();
  const { annals } = await made({}, { batchEvents: 2 });
  for (const action of ["a1", "a2", "a3", "a4", "a5"]) annals.track({ action });
  const files = ["0000000001.open", "0000000002.open", "0000000003.open"];
  expect(await after(in100Ms)).toEqual([...files, "the folder"]);
});
