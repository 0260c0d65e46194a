// Guarantee: the generated code is what the .proto files say, to the byte, and the .proto files
// keep the rules of buf.

import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { ROOT } from "./sources.ts";

const BIN = join(ROOT, "node_modules/.bin");

async function buf(...args: string[]): Promise<void> {
  const env = { ...process.env, PATH: `${BIN}${delimiter}${process.env["PATH"] ?? ""}` };
  await promisify(execFile)(join(BIN, "buf"), args, { cwd: ROOT, env });
}

/** Paths and texts of all files under a folder. */
async function treeOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const pairs = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [path.slice(folder.length + 1), await readFile(path, "utf8")] as const;
  });
  return Object.fromEntries(await Promise.all(pairs));
}

test("proto/gen is what `npm run generate` makes of proto/: run it and commit what it changes", async () => {
  const folder = await mkdtemp(join(tmpdir(), "annals-generated-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await buf("generate", "--output", folder);
  const [made, kept] = await Promise.all([
    treeOf(join(folder, "proto/gen")),
    treeOf(join(ROOT, "proto/gen")),
  ]);
  expect(Object.keys(made).length).toBeGreaterThan(6);
  expect(Object.keys(kept).toSorted()).toStrictEqual(Object.keys(made).toSorted());
  expect(Object.keys(made).filter((path) => made[path] !== kept[path])).toStrictEqual([]);
});

test("the .proto files keep buf's rules", async () => {
  await expect(buf("lint")).resolves.toBeUndefined();
});
