// pandas, pyarrow and DuckDB for tests, as other readers of what the service writes. They come from PyPI,
// once into a cache outside of the checkout. Nothing of the product needs them. It must never take what
// cannot be installed for a failure.

import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { leaveOut } from "../system/needs.ts";

const PACKAGES = ["pandas==3.1.1", "pyarrow==26.0.1", "duckdb==2.0.1"];
const CACHE = join(homedir(), ".cache/annals/python");
const INSTALL_TIMEOUT_MS = 300_000;
const PROBE = ["-c", "import duckdb, pandas, pyarrow"];

export interface PythonReaders {
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Python with the packages, or undefined; then they are recorded as left out. */
export async function pythonReaders(): Promise<PythonReaders | undefined> {
  const named = process.env["ANNALS_TEST_PYTHON"];
  try {
    const command = named ?? "python3";
    if (works({ command, environment: {} })) return { command, environment: {} };
    if (named !== undefined) throw new Error(`${named} lacks a package`);
    const readers = { command, environment: { PYTHONPATH: await installed(command) } };
    if (!works(readers)) throw new Error("a package cannot be loaded");
    return readers;
  } catch (error) {
    const [reason = ""] = String(error).split("\n");
    leaveOut("pandas, pyarrow and DuckDB", reason);
    return undefined;
  }
}

function works({ command, environment }: PythonReaders): boolean {
  return spawnSync(command, PROBE, { env: { ...process.env, ...environment } }).status === 0;
}

/** The folder with the packages, of one version of Python. */
async function installed(command: string): Promise<string> {
  const tag = ["-c", "import sys; print(sys.implementation.cache_tag)"];
  const { stdout } = await promisify(execFile)(command, tag);
  const folder = join(CACHE, stdout.trim());
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const part = await mkdtemp(`${folder}.`);
  try {
    const words = ["-m", "pip", "install", "--quiet", "--only-binary=:all:", "--target", part];
    await promisify(execFile)(command, [...words, ...PACKAGES], { timeout: INSTALL_TIMEOUT_MS });
    await rename(part, folder);
  } catch (error) {
    // Another test may have been faster.
    if (!existsSync(folder)) throw error;
  } finally {
    await rm(part, { recursive: true, force: true });
  }
  return folder;
}
