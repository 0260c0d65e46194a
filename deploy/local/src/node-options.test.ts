// Guarantee: the image gives each service the same options of Node.js and malloc as `npm start`, both from
// deploy/node-options.txt; a variable that is set is kept; Node.js replaces the entrypoint's shell as
// process 1.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { nodeOptions } from "./node-options.ts";
import { SERVICE_NAMES } from "./services.ts";
import { temporaryFolder } from "./testing/folders.ts";

const ENTRYPOINT = join(import.meta.dirname, "../../entrypoint.sh");

/** The environment of a container whose `node` is the given shell script. */
function withNode(script: string): Record<string, string> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "node"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { PATH: [folder, process.env["PATH"]].join(delimiter) };
}

test.each(SERVICE_NAMES)("%s: the image has the options of npm start", (service) => {
  const { args, environment } = nodeOptions(service);
  expect(args).toContainEqual(expect.stringMatching(/^--max-semi-space-size=\d+$/));
  const env = withNode('echo "$MALLOC_ARENA_MAX $*"');
  const command = [`services/${service}/dist/main.js`, "serve"];
  const run = (more: object) =>
    execFileSync(ENTRYPOINT, command, { encoding: "utf8", env: { ...env, ...more } }).trim();
  const words = ["--disable-sigusr1", ...args, ...command].join(" ");
  expect(run({})).toBe(`${environment["MALLOC_ARENA_MAX"]} ${words}`);
  expect(run({ MALLOC_ARENA_MAX: "4" })).toBe(`4 ${words}`);
});

test("node takes every option of the file", () => {
  for (const service of SERVICE_NAMES) {
    const args = [...nodeOptions(service).args, "-p", "1"];
    expect(execFileSync(process.execPath, args, { encoding: "utf8" })).toBe("1\n");
  }
});

test("node replaces the entrypoint's shell, so that signals reach it", async () => {
  const child = spawn(ENTRYPOINT, ["services/keys/dist/main.js"], { env: withNode("echo $$") });
  let output = "";
  child.stdout.on("data", (bytes) => (output += String(bytes)));
  await once(child, "close");
  expect(Number(output)).toBe(child.pid);
});
