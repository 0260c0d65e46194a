// Guarantee: the SDK as it is published needs nothing private, is imported and required with right types, and
// stays within its budget. Every block of its README compiles and runs against the service. Typed actions
// refuse what they should at compile time.

import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compile, type Installed, packageFaults, PACKED_WITHIN_MS } from "./installed.ts";
import { BLOCKS, installBlocks, testBlocks, testKeptEvents } from "./readme-blocks.ts";

let installed: Installed;

beforeAll(async () => {
  installed = await installBlocks();
}, PACKED_WITHIN_MS);
afterAll(() => installed?.remove());

test("nothing keeps it from being published", async () => {
  // Warnings, shared bounds, compression and the end of a process are 1.4 kB of it; people and workloads 0.4,
  // deliveries that the spool shares 0.5. The types of the API are in the tarball twice, spool and outbox as
  // ES modules and for CommonJS.
  const budget = {
    tarball: 142_000,
    files: { "dist/npm/index.js": 21_600 },
    isCommonJsToo: true,
  };
  expect(await packageFaults(installed, budget)).toEqual([]);
});

test("it is imported and required, and its types are strict in both", async () => {
  const names = "Annals, AnnalsError, defineActions, diff, verifyWebhook";
  const program = `const { events } = new Annals({ baseUrl: "http://x", apiKey: "k" });
    if (typeof events.create + typeof diff !== "functionfunction") process.exit(1);`;
  const modules = ["express", "fastify", "outbox", "spool"].map((name) => `@annals/sdk/${name}`);
  const files = {
    "esm.mjs": `import { ${names} } from "@annals/sdk";\n${program}`,
    "common.cjs": `const { ${names} } = require("@annals/sdk");\n${program}`,
    "middleware.mjs": modules.map((module) => `await import("${module}");`).join("\n"),
    "middleware.cjs": modules.map((module) => `require("${module}");`).join("\n"),
  };
  for (const [file, text] of Object.entries(files)) {
    await writeFile(join(installed.folder, file), text);
    await promisify(execFile)(process.execPath, [file], { cwd: installed.folder });
  }
  const typed = `import { Annals, type Event } from "@annals/sdk";
    export const ask = (annals: Annals): Promise<Event> => annals.events.get("evt_1");`;
  await writeFile(join(installed.folder, "typed.mts"), typed);
  await writeFile(join(installed.folder, "typed.cts"), typed);
  const strict = { types: [], skipLibCheck: false };
  expect(await compile(installed.folder, ["typed.mts", "typed.cts"], strict)).toBe("");
});

test("the blocks compile", async () => {
  expect(BLOCKS.length).toBeGreaterThan(6);
  const files = BLOCKS.map(({ file }) => file);
  expect(await compile(installed.folder, files)).toBe("");
});

test("another action, type of actor or metadata does not compile", async () => {
  const wrong = [
    'audit("invoice.delete", {})',
    'audit("user.login", { actor: { type: "robot" } })',
    'audit("user.login", {})',
    'audit("invoice.update", { actor: { type: "user" }, metadata: { total: "1" } })',
    'audit("invoice.update", { actor: { type: "user" } })',
    'audit("invoice.update", { actor: { type: "user" }, metadata: { total: 1, x: 1 } })',
  ];
  const block = BLOCKS.find(({ text }) => text.includes("defineActions"));
  await writeFile(join(installed.folder, "wrong.ts"), `${block?.text}\n${wrong.join(";\n")}`);
  const said = await compile(installed.folder, ["wrong.ts"]);
  const lines = new Set([...said.matchAll(/^\S*wrong\.ts\((\d+),/gm)].map(([, line]) => line));
  expect(lines.size, said).toBe(wrong.length);
});

testBlocks([process.execPath], () => installed);
testKeptEvents([process.execPath], () => installed);
