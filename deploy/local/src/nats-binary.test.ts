// Guarantee: where no nats-server can be had, a sentence says what was tried and what to do, and
// nothing is left that keeps the program running.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "./testing/folders.ts";

/** Far less than the bound of one step of a fetch, in milliseconds. */
const END_MS = 20_000;

test("without apt-get and go the search ends at once, in words", async () => {
  const module = join(import.meta.dirname, "nats-binary.ts");
  const cache = temporaryFolder();
  const script = `
    import { findNatsServer } from ${JSON.stringify(module)};
    const signal = new AbortController().signal;
    const cache = ${JSON.stringify(cache)};
    const options = { given: undefined, path: "/nowhere", cache, log() {}, signal };
    await findNatsServer(options).catch((error) => console.log(error.message));
  `;
  const args = ["--input-type=module", "-e", script];
  const child = spawn(process.execPath, args, { stdio: "pipe", timeout: END_MS });
  let output = "";
  child.stdout.on("data", (bytes) => (output += String(bytes)));
  expect(await once(child, "close")).toEqual([0, null]);
  expect(output).toMatch(/no apt-get.*no go.*ANNALS_NATS_SERVER_BIN/);
});
