// Guarantee: the image gives each service the same options of Node.js and malloc as `npm start`, both from
// deploy/node-options.txt; a variable that is set is kept; the service replaces the
// entrypoint as process 1.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeOptions } from "./node-options.ts";
import { SERVICE_NAMES } from "./services.ts";
import { temporaryFolder } from "./testing/folders.ts";

/** A folder with what the image has: the entrypoint, the options, and a program in place of each service. */
function image(program: string): string {
  const folder = temporaryFolder();
  const put = (path: string, text: string) => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const file of ["entrypoint.mjs", "node-options.txt"])
    put(`deploy/${file}`, readFileSync(join(import.meta.dirname, "../..", file), "utf8"));
  for (const service of SERVICE_NAMES) put(`services/${service}/dist/main.js`, program);
  put("packages/annals/dist/main.js", program);
  return folder;
}

/** Runs the entrypoint with the given words, as a container does. */
function run(folder: string, words: readonly string[], env: Record<string, string> = {}): string {
  const args = ["deploy/entrypoint.mjs", ...words];
  return execFileSync(process.execPath, args, {
    cwd: folder,
    encoding: "utf8",
    env,
    stdio: "pipe",
  }).trim();
}

test("every service: the image has the options of npm start", () => {
  const folder = image(
    "console.log(process.env.MALLOC_ARENA_MAX, ...process.execArgv, ...process.argv.slice(2))",
  );
  for (const service of SERVICE_NAMES) {
    const { args, environment } = nodeOptions(service);
    expect(args).toContainEqual(expect.stringMatching(/^--max-semi-space-size=\d+$/));
    const command = [`services/${service}/dist/main.js`, "serve"];
    const words = ["--disable-sigusr1", ...args, "serve"].join(" ");
    expect(run(folder, command)).toBe(`${environment["MALLOC_ARENA_MAX"]} ${words}`);
    expect(run(folder, command, { MALLOC_ARENA_MAX: "4" })).toBe(`4 ${words}`);
  }
});

test("the image has the command annals, as the first word and as a link", () => {
  const folder = image("console.log(...process.argv.slice(2))");
  expect(run(folder, ["annals", "accounts", "list"])).toBe("accounts list");
  symlinkSync("deploy/entrypoint.mjs", join(folder, "annals"));
  const args = ["annals", "accounts", "list"];
  expect(execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8" })).toBe(
    "accounts list\n",
  );
});

test.each([[[]], [["sh"]], [["services/keys"]]])("the image refuses to run %j", (words) => {
  expect(() => run(image(""), words)).toThrow(/is not services\/<name>\/dist\/main.js <verb>/);
});

test("node takes every option of the file", () => {
  for (const service of SERVICE_NAMES) {
    const args = [...nodeOptions(service).args, "-p", "1"];
    expect(execFileSync(process.execPath, args, { encoding: "utf8" })).toBe("1\n");
  }
});

test("the service replaces the entrypoint, so that signals reach it", async () => {
  const args = ["deploy/entrypoint.mjs", "services/keys/dist/main.js"];
  const child = spawn(process.execPath, args, { cwd: image("console.log(process.pid)") });
  let output = "";
  child.stdout.on("data", (bytes) => (output += String(bytes)));
  await once(child, "close");
  expect(Number(output)).toBe(child.pid);
});
