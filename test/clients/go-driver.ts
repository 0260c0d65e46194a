// Builds a program of the folder go: the driver, or another one that a test runs. Called by the tests of the
// SDK for Go. What Go has compiled before it takes from its own cache.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { GO_ENV } from "../system/go.ts";
import type { Command } from "./drivers.ts";

const SOURCES = join(import.meta.dirname, "go");

/** The packages in it, by what they are. */
const PACKAGES = {
  driver: ".",
  calls: "./calls",
  checkpoints: "./checkpoints",
  child: "./child",
  losses: "./losses",
} as const;

const run = promisify(execFile);

/** The file that it makes is in `folder`. */
export async function buildGo(program: keyof typeof PACKAGES, folder: string): Promise<Command> {
  const file = join(folder, program);
  await run("go", ["build", "-o", file, PACKAGES[program]], { cwd: SOURCES, env: GO_ENV });
  return [file];
}
