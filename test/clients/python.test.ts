// Guarantee: packages/sdk-python passes its own tests, mypy with its strict rules, and ruff. The tools come
// from PyPI, once into node_modules/.cache. Without Python 3.10 or PyPI, they are recorded as left out. Its
// tests of the outbox have a database of their own.

import { createDatabase, type TestDatabase } from "@annals/testing";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { leaveOut } from "../system/needs.ts";
import { hasPython310 } from "../system/programs.ts";

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
    await run(join(VENV, "bin/python"), pip, limits);
  } catch (error) {
    return String(error);
  }
  await writeFile(done, "");
  return undefined;
}

/** What a tool prints if it fails; empty otherwise. */
async function faultsOf(...parameters: readonly string[]): Promise<string> {
  const env = {
    ...process.env,
    PYTHONPATH: "src",
    PYTHONDONTWRITEBYTECODE: "1",
    DATABASE_URL: database?.url,
  };
  const command = run(join(VENV, "bin/python"), ["-m", ...parameters], { cwd: PACKAGE, env });
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
