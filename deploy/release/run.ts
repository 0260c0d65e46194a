// Runs the programs that make the parts of a release. Called by the other files of this folder. It must never
// use a shell, nor hide what a program that failed printed.

import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { list } from "tar";

export const ROOT = resolve(import.meta.dirname, "../..");

/** Maximum bytes that a program prints: an SBOM has half a megabyte. */
const OUTPUT_MAX = 64 * 1024 * 1024;

/**
 * Resolves with what it printed; rejects with its standard error if it ends with another status than 0.
 */
export async function run(
  folder: string,
  program: string,
  words: readonly string[],
): Promise<string> {
  const options = { cwd: folder, maxBuffer: OUTPUT_MAX };
  try {
    return (await promisify(execFile)(program, words, options)).stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    const output = `${stdout}${stderr}`.trim();
    throw new Error(`${program} ${words.join(" ")} failed:\n${output || String(error)}`, {
      cause: error,
    });
  }
}

/** The pnpm of the install; if no hash of it is known, the one that package.json names. */
export function pnpm(folder: string, ...words: string[]): Promise<string> {
  const name = `@pnpm/exe.${process.platform}-${process.arch}/pnpm`;
  const pinned = join(ROOT, "deploy/local/pnpm/node_modules", name);
  if (existsSync(pinned)) return run(folder, pinned, words);
  const { packageManager } = readJson(join(ROOT, "package.json")) as { packageManager: string };
  return run(folder, "npm", [
    "exec",
    "--yes",
    `--package=${packageManager}`,
    "--",
    "pnpm",
    ...words,
  ]);
}

/** Whether the program is on the PATH and exits with status 0 for these arguments. */
export async function succeeds(program: string, ...words: string[]): Promise<boolean> {
  return run(ROOT, program, words).then(
    () => true,
    () => false,
  );
}

export function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}

/** The first group of each match. */
export function matchesOf(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found = ""]) => found);
}

/** The files of an archive with what they hold, by path. */
export async function contentsOf(archive: string): Promise<ReadonlyMap<string, Buffer>> {
  const contents = new Map<string, Buffer>();
  const waiting: Promise<unknown>[] = [];
  await list({
    file: archive,
    filter: (_path, entry) => "type" in entry && entry.type === "File",
    onReadEntry: (entry) => {
      const { path } = entry;
      waiting.push(entry.concat().then((bytes) => contents.set(path, bytes)));
    },
  });
  await Promise.all(waiting);
  return contents;
}
