// Guarantee: what runs side by side has contexts of its own in the runtimes that the SDK's page names: the
// oldest Node.js, Bun and Deno, and Hono's middleware sets them in a Worker. A runtime that does not run on
// this machine has no tests.

import { freePort } from "@annals/local";
import { eventually } from "@annals/testing";
import { build } from "esbuild";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Installed, PACKED_WITHIN_MS } from "../sdk/installed.ts";
import { ended, installBlocks, startWithAccount } from "../sdk/readme-blocks.ts";
import { installRuntimes, programOf } from "./runtimes.ts";

const isHere = await installRuntimes();
const deno = [programOf("deno"), "run", "--no-prompt", "--allow-net", "--allow-env"];
const commands = { "node-of-sdk": [programOf("node-of-sdk")], bun: [programOf("bun")], deno };
const names = (["node-of-sdk", "bun", "deno"] as const).filter((name) => isHere[name]);

let sdk: Installed;

beforeAll(async () => {
  sdk = await installBlocks();
  for (const file of ["context.mjs", "hono-worker.capnp", "hono-worker.mjs"])
    await cp(join(import.meta.dirname, file), join(sdk.folder, file));
  await build({
    entryPoints: [join(sdk.folder, "hono-worker.mjs")],
    outfile: join(sdk.folder, "hono-bundle.mjs"),
    bundle: true,
    format: "esm",
    external: ["node:async_hooks"],
  });
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

test.each(["workerd" as const].filter((name) => isHere[name]))(
  "Hono's middleware in %s, with the flag nodejs_als",
  async (name) => {
    const port = await freePort();
    const words = ["serve", "hono-worker.capnp", `--socket-addr=http=127.0.0.1:${port}`];
    const { annals, said } = await startWithAccount([programOf(name), ...words], sdk.folder);
    const headers = { "x-user": "u_1", "user-agent": "test" };
    const answer = await eventually("an answer", () =>
      fetch(`http://127.0.0.1:${port}/invoices`, { method: "POST", headers }),
    );
    expect(answer.status, said()).toBe(204);
    const event = await eventually("the event", async () => {
      const { data } = await annals.events.list({ limit: 1 }).page();
      return data[0];
    });
    const context = { user_agent: "test", method: "POST", path: "/invoices" };
    expect(event).toMatchObject({ action: "invoice.create", actor: { id: "u_1" }, context });
  },
);
