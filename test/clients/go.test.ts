// Guarantee: packages/sdk-go passes its own tests with the race detector, go vet and gofmt, and so does its
// driver. Without Go 1.24, or without a C compiler for the race detector, that is recorded as left out.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { GO_ENV, hasGo, hasRaceDetector } from "../system/go.ts";

const PACKAGE = join(import.meta.dirname, "../../packages/sdk-go");
const DRIVER = join(import.meta.dirname, "go");
const RACE = hasRaceDetector ? ["-race"] : [];
/** The first run compiles the standard library for the race detector. */
const WITHIN_MS = 600_000;

const run = promisify(execFile);

/** What a command prints if it fails, and what gofmt prints at all; empty otherwise. */
async function faultsOf(cwd: string, file: string, words: readonly string[]): Promise<string> {
  return run(file, words, { cwd, env: GO_ENV }).then(
    ({ stdout }) => (file === "gofmt" ? stdout : ""),
    ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}` || "failed",
  );
}

test.runIf(hasGo).each([
  [PACKAGE, "go", "test", ...RACE, "./..."],
  [PACKAGE, "go", "vet", "./..."],
  [DRIVER, "go", "vet", "./..."],
  [PACKAGE, "gofmt", "-l", ".", DRIVER],
])(
  "in %s nothing is wrong: %s %s",
  async (cwd, file, ...words) => {
    expect(await faultsOf(cwd, file, words)).toBe("");
  },
  WITHIN_MS,
);
