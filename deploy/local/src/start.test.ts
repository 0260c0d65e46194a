// Guarantee: `npm start`'s command runs as an ordinary user; what was committed survives a SIGKILL
// of the whole tree; after a SIGKILL of the supervisor alone nothing is left running; SIGTERM ends
// it all with exit code 0.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { reserveFreePort } from "./ports.ts";
import { isAlive, sendSignal } from "./process-table.ts";
import { newFolder, temporaryFolder } from "./testing/folders.ts";
import { query } from "./testing/query.ts";
import { giveTo, makePortableCheckout } from "./testing/portable-checkout.ts";
import { processTree } from "./testing/process-tree.ts";
import { waitUntil } from "./wait-until.ts";

/** Servers start and stop in these tests, on a machine that may be busy. Milliseconds. */
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** A second start, and a first one, are ready within these times, in milliseconds. */
const SECOND_START_MS = 10_000;
const FIRST_START_MS = 30_000;
/** The guard sends SIGTERM, waits five seconds, sends SIGKILL. */
const GUARD_MS = 12_000;

/**
 * As root the tests run the stack as the user without rights; else as the one who runs the tests.
 */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

const checkout = newFolder();
const dataDir = join(checkout, ".annals");

beforeAll(() => {
  makePortableCheckout(checkout);
  if (isRoot) giveTo(NOBODY, NOBODY, checkout);
});
afterAll(() => rmSync(checkout, { recursive: true, force: true }));

const databaseUrl = () => readFileSync(join(dataDir, "run/database-url"), "utf8").trim();

interface Started {
  readonly bootstrap: ChildProcess;
  readonly output: () => string;
}

function launch(
  word: string,
  variables: Record<string, string> = {},
  shell: string[] = [],
  folder: string = checkout,
): Started {
  const env = {
    PATH: process.env["PATH"],
    HOME: "/nonexistent",
    ANNALS_PORT: "0",
    // No NATS: this test does not need it, and nothing connects to it.
    ANNALS_NATS_URL: "nats://127.0.0.1:9",
    ...variables,
  };
  // The checkout's own: the user may not be able to reach that of this test run.
  const node = join(folder, "node_modules/node/bin/node");
  const words = [...shell, node, join(folder, "deploy/local/bootstrap.mjs"), word];
  const [command = "", ...args] = words;
  const bootstrap = spawn(command, args, { cwd: "/", env, stdio: "pipe", ...user });
  let text = "";
  for (const stream of [bootstrap.stdout, bootstrap.stderr])
    stream.on("data", (bytes) => (text += String(bytes)));
  onTestFinished(() => void bootstrap.kill("SIGTERM"));
  return { bootstrap, output: () => text };
}

async function untilReady(
  withinMs: number,
  { bootstrap, output }: Started = launch("local"),
): Promise<{ bootstrap: ChildProcess; baseUrl: string; output: string }> {
  const ready = /^ready (http:\/\/127\.0\.0\.1:\d+\/v1)$/m;
  await waitUntil(() => ready.test(output()) || bootstrap.exitCode !== null, withinMs);
  const baseUrl = ready.exec(output())?.[1];
  if (baseUrl === undefined) throw new Error(`not ready within ${withinMs} ms:\n${output()}`);
  return { bootstrap, baseUrl, output: output() };
}

test("an ordinary user starts it; data survives SIGKILL of all; SIGTERM stops it", async () => {
  const first = await untilReady(FIRST_START_MS);
  const owner = statSync(join(dataDir, "postgres")).uid;
  expect(owner).toBe(isRoot ? NOBODY : process.getuid?.());
  const answer = await fetch(first.baseUrl);
  expect(answer.status).toBe(200);
  expect(first.output).toMatch(/^Dashboard {5}http:\/\/127\.0\.0\.1:\d+\/dashboard\/$/m);
  // Not a terminal: the key stays in its file.
  expect(first.output).not.toContain(readFileSync(join(dataDir, "bootstrap-key"), "utf8").trim());
  await query(databaseUrl(), "create table kept (value int); insert into kept values (11)");

  const tree = processTree(first.bootstrap.pid ?? 0);
  expect(tree.length).toBeGreaterThan(6);
  for (const pid of tree) sendSignal(pid, "SIGKILL");

  const second = await untilReady(SECOND_START_MS);
  expect(await query(databaseUrl(), "select value from kept")).toEqual([{ value: 11 }]);

  const all = processTree(second.bootstrap.pid ?? 0);
  second.bootstrap.kill("SIGTERM");
  expect(await once(second.bootstrap, "exit")).toEqual([0, null]);
  // The guard's shell ends by itself a moment later.
  expect(await waitUntil(() => !all.some(isAlive), GUARD_MS)).toBe(true);
});

test("after a SIGKILL of the supervisor alone, all that it ran ends in order", async () => {
  const first = await untilReady(FIRST_START_MS);
  const [bootstrap = 0, supervisor = 0, ...others] = processTree(first.bootstrap.pid ?? 0);
  expect(others.length).toBeGreaterThan(4);
  process.kill(supervisor, "SIGKILL");
  await once(first.bootstrap, "exit");
  const isOver = () => !others.some(isAlive) && !isAlive(bootstrap);
  expect(await waitUntil(isOver, GUARD_MS)).toBe(true);
  expect(readFileSync(join(dataDir, "log/gateway-1.log"), "utf8")).toMatch(
    /closing: (SIGTERM|stdin ended)/,
  );
  expect(readFileSync(join(dataDir, "log/postgres-1.log"), "utf8")).toMatch(
    /database system is shut down\s*$/,
  );
  const second = await untilReady(SECOND_START_MS);
  second.bootstrap.kill("SIGINT");
  expect(await once(second.bootstrap, "exit")).toEqual([0, null]);
});

test.each(["SIGTERM", "SIGKILL"] as const)(
  "a %s that reaches npm and its shell but not this program stops everything",
  async (signal) => {
    // As npm does it: a shell between, which does not pass signals on.
    const shell = ["/bin/sh", "-c", '"$0" "$@"; exit $?'];
    const first = await untilReady(
      FIRST_START_MS,
      launch("local", { npm_lifecycle_event: "start" }, shell),
    );
    const [npmShell = 0, ...others] = processTree(first.bootstrap.pid ?? 0);
    process.kill(npmShell, signal);
    expect(await waitUntil(() => !others.some(isAlive), GUARD_MS)).toBe(true);
    expect(existsSync(join(dataDir, "run/gateway-1.pid"))).toBe(false);
  },
);

test("wrong settings are reported all at once, one line each, and the exit code is 1", async () => {
  const wrong = { ANNALS_PORT: "x", ANNALS_REPLICAS: "moon=1", ANNALS_PROT: "8081" };
  const { bootstrap, output } = launch("local", wrong);
  expect(await once(bootstrap, "close")).toEqual([1, null]);
  expect(output().trimEnd().split("\n")).toEqual([
    "annals: ANNALS_PROT is not a setting: did you mean ANNALS_PORT?",
    expect.stringMatching(/^annals: ANNALS_REPLICAS must be/),
    expect.stringMatching(/^annals: ANNALS_PORT must be/),
  ]);
});

test("a data directory of another user is one line that names ANNALS_DATA_DIR", async () => {
  const folder = temporaryFolder();
  if (!isRoot) chmodSync(folder, 0o500);
  const { bootstrap, output } = launch("local", { ANNALS_DATA_DIR: join(folder, "data") });
  expect(await once(bootstrap, "close")).toEqual([1, null]);
  expect(output()).toMatch(/^annals: the data directory .* \(EACCES\): set ANNALS_DATA_DIR .*\n$/);
});

test("a port in use is one line that names ANNALS_PORT", async () => {
  const held = await reserveFreePort();
  onTestFinished(() => held.close());
  const { bootstrap, output } = launch("local", { ANNALS_PORT: String(held.port) });
  expect(await once(bootstrap, "close")).toEqual([1, null]);
  expect(output()).toMatch(/^annals: port \d+ is in use on 127\.0\.0\.1: .* ANNALS_PORT .*\n$/);
});

test("a registry that cannot be reached is one line that names its address", async () => {
  const fresh = newFolder();
  onTestFinished(() => rmSync(fresh, { recursive: true, force: true }));
  makePortableCheckout(fresh);
  rmSync(join(fresh, "node_modules/.annals-installed"));
  if (isRoot) giveTo(NOBODY, NOBODY, fresh);
  const nowhere = {
    npm_config_registry: "http://127.0.0.1:9/",
    npm_config_cache: join(fresh, "npm"),
    npm_config_fetch_retries: "0",
  };
  const { bootstrap, output } = launch("local", nowhere, [], fresh);
  expect(await once(bootstrap, "close")).toEqual([1, null]);
  const lines = output().trimEnd().split("\n");
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(/^annals: the package registry http:\/\/127\.0\.0\.1:9 .*ECONNREFUSED/);
});

test("an unknown word and a missing script are reported with the usage", async () => {
  const { bootstrap, output } = launch("no-such-script.ts");
  expect(await once(bootstrap, "close")).toEqual([1, null]);
  expect(output()).toMatch(/there is no no-such-script\.ts[^]*usage:/);
});
