// Guarantee: packages/sdk-python passes its own tests, mypy with its strict rules, and ruff. What a relay of
// its outbox has sent, one in TypeScript repeats byte for byte, and the reverse. The tools come from PyPI,
// once into node_modules/.cache. Without Python 3.10 or PyPI, they are recorded as left out.

import { Annals } from "@annals/sdk";
import { Outbox, OUTBOX_SCHEMA } from "@annals/sdk/outbox";
import { createDatabase, eventually, poolOf, type TestDatabase } from "@annals/testing";
import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type pg from "pg";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { json, scriptedServer } from "../sdk/scripted-server.ts";
import { leaveOut } from "../system/needs.ts";
import { hasPython310 } from "../system/programs.ts";
import { NUMBERED_EVENT, ODD_EVENT } from "./odd-event.ts";

const TOOLS = ["pytest==9.2.0", "mypy==2.4.1", "ruff==0.17.6"];
const FRAMEWORKS = [
  "celery==5.7.0",
  "Django==5.2.19",
  "fastapi==0.165.0",
  "Flask==3.1.3",
  "psycopg[binary]==3.3.9",
  "psycopg2-binary==2.9.13",
  "SQLAlchemy[asyncio]==2.1.9",
  "structlog==26.1.0",
];

const ROOT = join(import.meta.dirname, "../..");
const PACKAGE = join(ROOT, "packages/sdk-python");
const CACHE = join(ROOT, "node_modules/.cache/annals");
const VERSION = createHash("sha256")
  .update([...TOOLS, ...FRAMEWORKS].join())
  .digest("hex")
  .slice(0, 12);
const VENV = join(CACHE, `python-${VERSION}`);
const PYTHON = join(VENV, "bin/python");
const INSTALL_TIMEOUT_MS = 240_000;

const run = promisify(execFile);

/** Makes the venv with the tools, once. Undefined, or why it cannot. */
async function install(): Promise<string | undefined> {
  const done = join(VENV, "installed");
  if (!hasPython310) return "Python 3.10 is not there";
  if (existsSync(done)) return undefined;
  await mkdir(CACHE, { recursive: true });
  await rm(VENV, { recursive: true, force: true });
  const limits = { timeout: INSTALL_TIMEOUT_MS };
  const pip = ["-m", "pip", "install", "--quiet", ...TOOLS, ...FRAMEWORKS];
  try {
    await run("python3", ["-m", "venv", VENV], limits);
    await run(PYTHON, pip, limits);
  } catch (error) {
    return String(error);
  }
  await writeFile(done, "");
  return undefined;
}

/** What the programs of the venv are run with. */
const environment = () => ({
  ...process.env,
  PYTHONPATH: join(PACKAGE, "src"),
  PYTHONDONTWRITEBYTECODE: "1",
  DATABASE_URL: database?.url,
});

/** What a tool prints if it fails; empty otherwise. */
async function faultsOf(...parameters: readonly string[]): Promise<string> {
  const settings = { cwd: PACKAGE, env: environment() };
  const command = run(PYTHON, ["-m", ...parameters], settings);
  return command.then(
    () => "",
    ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}` || "failed",
  );
}

let missing: string | undefined;
let database: TestDatabase | undefined;

beforeAll(async () => {
  database = await createDatabase(inject("stack").databaseUrl);
  missing = await install();
  if (hasPython310 && missing !== undefined) leaveOut("tools for Python", missing);
}, 2 * INSTALL_TIMEOUT_MS);
afterAll(() => database?.drop());

test.each([
  ["pytest"],
  ["mypy", "--strict", "--cache-dir", join(CACHE, "mypy")],
  ["ruff", "check", "--no-cache", ".", "../../test/clients/python"],
  ["ruff", "format", "--no-cache", "--check", ".", "../../test/clients/python"],
])("packages/sdk-python passes %s", async (...command) => {
  expect(missing === undefined ? await faultsOf(...command) : "").toBe("");
});

type Ends = () => Promise<unknown>;
type Relay = (baseUrl: string, pool: pg.Pool) => Ends;

const inPython: Relay = (baseUrl) => {
  const words = ["-m", "annals_sdk", "outbox", "--producer", "billing"];
  const env = { ...environment(), ANNALS_URL: baseUrl, ANNALS_KEY: "k" };
  const child = spawn(PYTHON, words, { env, stdio: "ignore" });
  const exited = once(child, "exit");
  const end: Ends = () => {
    child.kill("SIGKILL");
    return exited;
  };
  onTestFinished(() => void end());
  return end;
};

const inTypeScript: Relay = (baseUrl, pool) => {
  const annals = new Annals({ baseUrl, apiKey: "k" });
  const end = new AbortController();
  const running = new Outbox({ annals, pool, producer: "billing" }).run(end.signal);
  onTestFinished(() => end.abort());
  return () => {
    end.abort();
    return running;
  };
};

/** The bodies and the number of keys of what two relays send of one batch, the first without a response. */
async function sentBy(first: Relay, next: Relay): Promise<object> {
  const pool = poolOf(database?.url ?? "");
  onTestFinished(() => pool.end());
  await pool.query(
    "DROP TABLE IF EXISTS annals_outbox, annals_outbox_refused, annals_outbox_producers",
  );
  await pool.query(OUTBOX_SCHEMA);
  await pool.query("INSERT INTO annals_outbox (event) VALUES ($1::json)", [ODD_EVENT]);
  const service = await scriptedServer((_, response) => response.destroy());
  const { baseUrl, received } = service;
  const endFirst = first(baseUrl, pool);
  await eventually("a request", () => received.length > 0);
  await endFirst();
  const before = received.length;
  service.answer = (_, response) => json(response, 201, { data: [] });
  // The minute after which another relay takes the batch over.
  await pool.query("UPDATE annals_outbox SET claimed_at = claimed_at - interval '61 s'");
  const endNext = next(baseUrl, pool);
  await eventually("an empty table", async () => {
    const { rows } = await pool.query("SELECT FROM annals_outbox");
    return rows.length === 0;
  });
  await endNext();
  const keys = new Set(received.map(({ headers }) => headers["idempotency-key"]));
  const bodies = [...new Set(received.map(({ body }) => body))];
  return { bodies, keys: keys.size, repeated: received.length - before };
}

test.each<[string, Relay, Relay]>([
  ["Python, repeated in TypeScript", inPython, inTypeScript],
  ["TypeScript, repeated in Python", inTypeScript, inPython],
])("a batch of an outbox, sent in %s, has the same bytes and key", async (_, first, next) => {
  const expected = { bodies: [`{"events":[${NUMBERED_EVENT}]}`], keys: 1, repeated: 1 };
  expect(missing === undefined ? await sentBy(first, next) : expected).toEqual(expected);
});
