#!/usr/bin/env node
// Starts annals-verify: the built program if the package is installed, the TypeScript source in
// a checkout of Annals, so that a build that is older than the source is never used.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../src/main.ts", import.meta.url));

if (existsSync(source)) {
  const args = ["-C", "source", source, ...process.argv.slice(2)];
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  // A process that a signal has ended, as when its memory was exhausted, has checked nothing.
  process.exitCode = status ?? 2;
} else {
  await import("../dist/npm/main.js");
}
