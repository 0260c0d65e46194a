// Guarantee: the npm packages bring a nats-server where they have one for this platform; where none is to be
// had, one line says what was tried and what to do, and nothing keeps the program running.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findNatsServer, packagedNatsServer } from "./nats-binary.ts";
import { temporaryFolder } from "./testing/folders.ts";

/** Far less than the bound of one step of a fetch, in milliseconds. */
const END_MS = 20_000;

const fetchesNothing = {
  given: undefined,
  path: "/nowhere",
  log: (line: string) => expect.fail(line),
  signal: new AbortController().signal,
};

test("the packages have a nats-server with JetStream, and on Linux x64 it is always there", () => {
  const packaged = packagedNatsServer();
  const isExpected = process.platform === "linux" && process.arch === "x64";
  expect(packaged !== undefined).toBe(isExpected);
  if (packaged === undefined) return;
  const version = execFileSync(packaged, ["--version"], { encoding: "utf8" });
  expect(version).toMatch(/^nats-server: v2\.\d+/);
});

test("the packaged binary is taken before anything is fetched", async () => {
  // Node stands for the binary: any executable file will do.
  const options = { ...fetchesNothing, packaged: process.execPath, cache: temporaryFolder() };
  expect(await findNatsServer(options)).toBe(process.execPath);
});

test("without apt-get and go the search ends at once, with one line", async () => {
  const module = join(import.meta.dirname, "nats-binary.ts");
  const cache = temporaryFolder();
  const script = `
    import { findNatsServer } from ${JSON.stringify(module)};
    const signal = new AbortController().signal;
    const cache = ${JSON.stringify(cache)};
    const missing = { given: undefined, packaged: undefined, path: "/nowhere" };
    const options = { ...missing, cache, log() {}, signal };
    await findNatsServer(options).catch((error) => console.log(error.message));
  `;
  const args = ["--input-type=module", "-e", script];
  const child = spawn(process.execPath, args, { stdio: "pipe", timeout: END_MS });
  let output = "";
  child.stdout.on("data", (bytes) => (output += String(bytes)));
  expect(await once(child, "close")).toEqual([0, null]);
  expect(output).toMatch(/^.*no apt-get.*no go.*ANNALS_NATS_SERVER_BIN.*\n$/);
});
