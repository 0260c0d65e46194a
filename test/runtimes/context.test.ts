// Guarantee: what runs side by side has contexts of its own in the runtimes that the SDK's page names: the
// oldest Node.js, Bun and Deno. A runtime that does not run on this machine has no tests.

import { cp } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { install, type Installed, PACKED_WITHIN_MS } from "../sdk/installed.ts";
import { ended, startWithAccount } from "../sdk/readme-blocks.ts";
import { installRuntimes, programOf } from "./runtimes.ts";

const isHere = await installRuntimes();
const deno = [programOf("deno"), "run", "--no-prompt", "--allow-net", "--allow-env"];
const commands = { "node-of-sdk": [programOf("node-of-sdk")], bun: [programOf("bun")], deno };
const names = (["node-of-sdk", "bun", "deno"] as const).filter((name) => isHere[name]);

let sdk: Installed;

beforeAll(async () => {
  sdk = await install("sdk", "@annals/sdk");
  await cp(join(import.meta.dirname, "context.mjs"), join(sdk.folder, "context.mjs"));
}, PACKED_WITHIN_MS);
afterAll(() => sdk?.remove());

test.each(names)("what runs side by side in %s has its own context", async (name) => {
  const program = [...commands[name], "context.mjs"];
  const { annals, child, said } = await startWithAccount(program, sdk.folder);
  expect(await ended(child), said()).toBe(0);
  const events = await annals.events.list({ order: "asc" }).toArray();
  const found = events.map(({ action, actor, metadata }) => [action, actor?.id, metadata?.["by"]]);
  expect(found).toEqual([
    ["tracked", "u_1", "u_1"],
    ["tracked", "u_2", "u_2"],
    ["job", "u_1", "u_1"],
    ["beside", undefined, undefined],
  ]);
});
