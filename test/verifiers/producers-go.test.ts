// Guarantee: the annals-verify of packages/sdk-go says of the numbers of producers what the one of npm says
// (producers.test.ts). It runs with the outages, where Go can build it.

import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { GO_ENV, hasGo } from "../system/go.ts";
import { NUMBERED, numberedExport, producersIn } from "./numbered-exports.ts";

const SDK = join(import.meta.dirname, "../../packages/sdk-go");

let folder: string;
let program: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "annals-producers-"));
  program = join(folder, "annals-verify");
  const words = ["build", "-o", program, "./cmd/annals-verify"];
  if (hasGo) await promisify(execFile)("go", words, { cwd: SDK, env: GO_ENV });
});
afterAll(() => rmSync(folder, { recursive: true }));

test.runIf(hasGo).each(NUMBERED)("%s", (_, numbers, status, said) => {
  const input = numberedExport(numbers);
  const run = spawnSync(program, ["--producers", "-"], { encoding: "utf8", input });
  expect([run.status, producersIn(run.stdout)]).toEqual([status, said]);
});
