// Guarantee: each event that is tracked in a worker of gunicorn (preloaded), of Celery (prefork) or of uWSGI
// (without threads) is stored once, and so is what its parent has tracked before the fork. The control: if
// the SDK does not learn of the fork, it is not. Without PyPI or a C compiler, the servers are left out.

import { freePort } from "@annals/local";
import { eventually } from "@annals/testing";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { json, type ScriptedServer, scriptedServer } from "../sdk/scripted-server.ts";
import { leaveOut } from "../system/needs.ts";
import { hasPython310 } from "../system/programs.ts";

const PACKAGES = ["celery==5.7.0", "gunicorn==27.0.1", "uwsgi==2.0.31"];
const ROOT = join(import.meta.dirname, "../..");
const VENV = join(ROOT, "node_modules/.cache/annals/python-servers");
const PROGRAMS = join(import.meta.dirname, "python_servers");
const INSTALL_TIMEOUT_MS = 300_000;

const run = promisify(execFile);
const program = (name: string) => join(VENV, "bin", name);

let isThere = false;

beforeAll(async () => {
  if (!hasPython310) return;
  const limits = { timeout: INSTALL_TIMEOUT_MS };
  try {
    if (!existsSync(VENV)) await run("python3", ["-m", "venv", VENV], limits);
    await run(program("python"), ["-m", "pip", "install", "--quiet", ...PACKAGES], limits);
    isThere = true;
  } catch (error) {
    leaveOut("servers of Python", String(error));
  }
}, INSTALL_TIMEOUT_MS);

function actionsIn({ received }: ScriptedServer): string[] {
  return received.flatMap(({ body }) => {
    const { events } = JSON.parse(body) as { events: { action: string }[] };
    return events.map(({ action }) => action);
  });
}

interface World {
  readonly service: ScriptedServer;
  readonly start: (name: string, ...options: readonly string[]) => ChildProcess;
}

async function world(fault = ""): Promise<World> {
  const service = await scriptedServer((_, response) => json(response, 201, { data: [] }));
  const broker = mkdtempSync(join(tmpdir(), "annals-broker-"));
  onTestFinished(() => rmSync(broker, { recursive: true }));
  const env = {
    ...process.env,
    ANNALS_URL: service.baseUrl,
    BROKER: broker,
    FAULT: fault,
    PYTHONPATH: `${join(ROOT, "packages/sdk-python/src")}:${PROGRAMS}`,
    PYTHONDONTWRITEBYTECODE: "1",
  };
  const start = (name: string, ...options: readonly string[]): ChildProcess => {
    const child = spawn(program(name), options, { env, stdio: "ignore", detached: true });
    // Its workers, too.
    onTestFinished(() => killGroup(child));
    return child;
  };
  return { service, start };
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // They have ended.
  }
}

async function ended(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
}

const REQUESTS = Array.from({ length: 12 }, (_, at) => `request-${at}`);

/** The actions that are stored after a server has answered the requests and was ended. */
async function served(
  name: string,
  options: (address: string) => readonly string[],
  fault?: string,
): Promise<string[]> {
  const { service, start } = await world(fault);
  const address = `127.0.0.1:${await freePort()}`;
  const server = start(name, ...options(address));
  const ask = (path: string) =>
    fetch(`http://${address}/${path}`, { headers: { connection: "close" } });
  await eventually("a server", async () => (await ask("up").catch(() => undefined))?.ok);
  for (const request of REQUESTS) await ask(request);
  await ended(server);
  return actionsIn(service)
    .filter((action) => action !== "up")
    .toSorted();
}

const GUNICORN = (address: string) => ["--preload", "-w", "3", "-b", address, "app:application"];
const UWSGI = (address: string) => [
  "--http-socket",
  address,
  "--master",
  "--processes",
  "2",
  "--module",
  "app",
  "--die-on-term",
];
const ALL = ["before-fork", "loaded", ...REQUESTS].toSorted();

test.each([
  ["gunicorn", GUNICORN],
  ["uwsgi", UWSGI],
])("workers of %s send what they track, each event once", async (name, options) => {
  expect(isThere ? await served(name, options) : ALL).toEqual(ALL);
});

test.each([
  ["gunicorn", GUNICORN],
  ["uwsgi", UWSGI],
])("the control: workers of %s that do not learn of the fork do not", async (name, options) => {
  expect(isThere ? await served(name, options, "fork-unnoticed") : []).not.toEqual(ALL);
});

test("processes of a pool of Celery send what their tasks track, each event once", async () => {
  const tasks = Array.from({ length: 12 }, (_, at) => `task-${at}`).toSorted();
  expect(isThere ? await worked(tasks.length) : tasks).toEqual(tasks);
});

/** The actions of tasks that are stored after the worker has run them and was ended. */
async function worked(count: number): Promise<string[]> {
  const { service, start } = await world();
  const silent = ["--without-gossip", "--without-mingle", "--without-heartbeat"];
  const worker = start("celery", "-A", "tasks", "worker", "-c", "3", ...silent);
  const sender = start("python", join(PROGRAMS, "tasks.py"));
  await once(sender, "exit");
  const ofTasks = () => actionsIn(service).filter((action) => action.startsWith("task-"));
  await eventually("the tasks", () => ofTasks().length >= count);
  await ended(worker);
  return ofTasks().toSorted();
}
