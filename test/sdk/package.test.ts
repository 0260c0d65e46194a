// Guarantee: the SDK as it is published needs nothing private, is imported and required with right types, and
// stays within its budget. Every block of its README compiles and runs against the service. Typed actions
// refuse what they should at compile time.

import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
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
  // deliveries that the spool shares 0.5, rows of an outbox that are sent as they are 0.1, declared fields
  // 0.1, counts 0.2, saved searches 0.2. The types of the API are in the tarball twice, and all other entries
  // as ES modules and for CommonJS: those for a framework take 2 kB each.
  const budget = {
    tarball: 169_000,
    files: { "dist/npm/index.js": 22_200 },
    isCommonJsToo: true,
  };
  expect(await packageFaults(installed, budget)).toEqual([]);
});

test("it is imported and required, and its types are strict in both", async () => {
  const names = "Annals, AnnalsError, defineActions, diff, verifyWebhook";
  const program = `const { events } = new Annals({ baseUrl: "http://x", apiKey: "k" });
    if (typeof events.create + typeof diff !== "functionfunction") process.exit(1);`;
  const manifest = join(installed.folder, "node_modules/@annals/sdk/package.json");
  const { exports } = JSON.parse(await readFile(manifest, "utf8")) as { exports: object };
  const modules = Object.keys(exports).map((name) => join("@annals/sdk", name));
  const files = {
    "esm.mjs": `import { ${names} } from "@annals/sdk";\n${program}`,
    "common.cjs": `const { ${names} } = require("@annals/sdk");\n${program}`,
    "modules.mjs": modules.map((module) => `await import("${module}");`).join("\n"),
    "modules.cjs": modules.map((module) => `require("${module}");`).join("\n"),
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

test("a context is the same in an ES module and in CommonJS", async () => {
  const program = `import { Annals } from "@annals/sdk";
    import { context, save } from "@annals/sdk/context";
    import { createRequire } from "node:module";
    const required = createRequire(import.meta.url);
    const others = { ...required("@annals/sdk"), ...required("@annals/sdk/context") };
    const actor = { id: "u_1" };
    const seen = [[context, others], [others.context, { Annals, save }]].map(([set, ours]) => {
      const dropped = [];
      const onDrop = ({ events }) => dropped.push(events[0].actor);
      const annals = new ours.Annals({ baseUrl: "http://x", apiKey: "k", tracking: { onDrop } });
      return set({ actor }, () => {
        annals.track({ action: "a", metadata: { number: NaN } });
        return [ours.save().actor, ...dropped];
      });
    });
    console.log(JSON.stringify(seen));`;
  await writeFile(join(installed.folder, "mixed.mjs"), program);
  const { stdout } = await promisify(execFile)(process.execPath, ["mixed.mjs"], {
    cwd: installed.folder,
  });
  const ada = { id: "u_1" };
  expect(JSON.parse(stdout)).toEqual([
    [ada, ada],
    [ada, ada],
  ]);
});

test("the blocks compile", async () => {
  expect(BLOCKS.length).toBeGreaterThan(7);
  // What Next.js runs is compiled where it is installed, by test/runtimes.
  const files = BLOCKS.filter(({ kind }) => kind !== "next").map(({ file }) => file);
  const decorators = { experimentalDecorators: true };
  expect(await compile(installed.folder, files, decorators)).toBe("");
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
