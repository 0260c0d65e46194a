// Programs of others for tests, built by Go from the Go module proxy, unmodified, once per user. Called
// by the tests that need one.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const CACHE = join(homedir(), ".cache/annals");
const BUILT_WITHIN_MS = 300_000;

const run = promisify(execFile);

/**
 * The folder with the programs of `packages`. Rejects, and names the reason, where there is no Go or the
 * module cannot be fetched.
 */
export async function buildPrograms(
  module: string,
  version: string,
  packages: readonly string[],
): Promise<string> {
  const names = packages.map((path) => path.split("/").at(-1) ?? path);
  const folder = join(CACHE, `${names[0]}-${version}`);
  if (names.every((name) => existsSync(join(folder, name)))) return folder;
  await mkdir(folder, { recursive: true });
  const env = { ...process.env, GOBIN: folder, GOFLAGS: "-mod=mod" };
  const sources = packages.map((path) => `${module}/${path}@${version}`);
  await run("go", ["install", ...sources], { env, timeout: BUILT_WITHIN_MS });
  return folder;
}
