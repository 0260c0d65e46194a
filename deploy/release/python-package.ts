// The wheel and the sdist of packages/sdk-python. Called by main.ts. The same commit gives the same bytes:
// hatchling takes the time of every file from SOURCE_DATE_EPOCH. It must never write files of another
// version.

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { matchesOf, ROOT, run } from "./run.ts";

const PACKAGE = join(ROOT, "packages/sdk-python");

export function pythonFiles(version: string): string[] {
  return [`annals_sdk-${version}-py3-none-any.whl`, `annals_sdk-${version}.tar.gz`];
}

/** Returns why nothing was made, if this machine lacks Python or cannot install hatchling. */
export async function packPython(
  version: string,
  time: Date,
  out: string,
): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "annals-python-"));
  try {
    const python = join(folder, "bin/python");
    const missing = await install(folder, python).catch((error: unknown) => String(error));
    if (missing !== undefined) return missing;
    const epoch = `SOURCE_DATE_EPOCH=${Math.floor(time.getTime() / 1_000)}`;
    await run(PACKAGE, "env", [epoch, python, "-m", "hatchling", "build", "--directory", out]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const absent = pythonFiles(version).filter((name) => !existsSync(join(out, name)));
  if (absent.length > 0)
    throw new Error(`annals_sdk/__init__.py has another version: there is no ${absent.join(", ")}`);
  return undefined;
}

/** The version of hatchling is that of pyproject.toml. */
async function install(folder: string, python: string): Promise<undefined> {
  const text = readFileSync(join(PACKAGE, "pyproject.toml"), "utf8");
  const [hatchling = "hatchling"] = matchesOf(text, /"(hatchling==[^"]+)"/g);
  await run(ROOT, "python3", ["-m", "venv", folder]);
  await run(ROOT, python, ["-m", "pip", "install", "--quiet", hatchling]);
}
