// Guarantee: the block of the SDK's page for Next.js compiles with its types, and records the request in a
// real server. So does a server action, whose events and those of after() have its user and are sent.

import { freePort } from "@annals/local";
import { eventually } from "@annals/testing";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { compile, type Installed, PACKED_WITHIN_MS } from "../sdk/installed.ts";
import { BLOCKS, ended, installBlocks, js, startWithAccount } from "../sdk/readme-blocks.ts";

const run = promisify(execFile);

/** Installed once per checkout, in the cache: 300 MB. */
const FOLDER = join(import.meta.dirname, "../../node_modules/.cache/annals/next");
const PACKAGES = {
  "@types/node": "24.19.2",
  "@types/react": "19.2.0",
  next: "16.4.6",
  react: "19.3.1",
  "react-dom": "19.3.1",
};

const [block] = BLOCKS.filter(({ kind }) => kind === "next");

/** The block is the route, and the page has a form for an action. */
const FILES = {
  "next.config.mjs": "export default { turbopack: { root: import.meta.dirname } };",
  "app/layout.js": `export default function Layout({ children }) {
      return <html><body>{children}</body></html>;
    }`,
  "app/page.js": `import { rename } from "./actions";
    export const dynamic = "force-dynamic";
    export default function Page() {
      return <form action={rename}><input name="name" /></form>;
    }`,
  "app/actions.js": `"use server";
    import { Annals } from "@annals/sdk";
    import { annalsAudit } from "@annals/sdk/next";
    import { headers } from "next/headers";
    import { after } from "next/server";
    const baseUrl = process.env.ANNALS_URL ?? "http://127.0.0.1:8080";
    const annals = new Annals({ baseUrl, apiKey: () => process.env.ANNALS_KEY });
    const actor = async (from) => ({ type: "user", id: from.get("x-user") });
    const audited = annalsAudit(annals, { headers, after, actor });
    export const rename = audited(async (form) => {
      annals.track({ action: "invoice.rename", metadata: { name: form.get("name") } });
      after(() => annals.track({ action: "invoice.renamed" }));
    });`,
};

let sdk: Installed;

beforeAll(async () => {
  sdk = await installBlocks();
  await installNext();
  const route = await js(block?.text ?? "");
  for (const [file, text] of Object.entries({ ...FILES, "app/invoices/[id]/route.js": route })) {
    await mkdir(dirname(join(FOLDER, file)), { recursive: true });
    await writeFile(join(FOLDER, file), text);
  }
  const own = "node_modules/@annals/sdk";
  await rm(join(FOLDER, own), { recursive: true, force: true });
  await cp(join(sdk.folder, own), join(FOLDER, own), { recursive: true });
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" };
  await run(process.execPath, ["node_modules/next/dist/bin/next", "build"], { cwd: FOLDER, env });
}, 2 * PACKED_WITHIN_MS);
afterAll(() => sdk?.remove());

async function installNext(): Promise<void> {
  const manifest = JSON.stringify({ private: true, type: "module", dependencies: PACKAGES });
  const stamp = join(FOLDER, "installed");
  if (existsSync(stamp) && (await readFile(stamp, "utf8")) === manifest) return;
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, "package.json"), manifest);
  await run("npm", ["install", "--no-audit", "--no-fund", "--no-package-lock"], { cwd: FOLDER });
  await writeFile(stamp, manifest);
}

/** A server with an account of its own. */
async function serve() {
  const port = await freePort();
  const words = ["node_modules/next/dist/bin/next", "start", "--port", String(port)];
  const env = { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" };
  const started = await startWithAccount([process.execPath, ...words], FOLDER, env);
  onTestFinished(async () => {
    started.child.kill("SIGTERM");
    await ended(started.child);
  });
  const url = `http://127.0.0.1:${port}`;
  await eventually("an answer", () => fetch(url));
  const events = (count: number) =>
    eventually(`${count} events`, async () => {
      const listed = await started.annals.events.list({ order: "asc" }).toArray();
      return listed.length >= count && listed;
    });
  return { ...started, events, url };
}

test("the block compiles", async () => {
  await writeFile(join(FOLDER, "block.ts"), block?.text ?? "");
  // The options of a project that Next.js creates.
  const options = { jsx: "preserve", module: "esnext", moduleResolution: "bundler" };
  expect(await compile(FOLDER, ["block.ts"], options)).toBe("");
});

test("a route handler records its request", async () => {
  const { events, url } = await serve();
  const headers = { "user-agent": "test" };
  const answer = await fetch(`${url}/invoices/inv_9?token=s`, { method: "POST", headers });
  expect(answer.status).toBe(204);
  expect(await events(1)).toMatchObject([
    {
      action: "invoice.update",
      actor: { type: "user", id: "u_1" },
      target: { type: "invoice", id: "inv_9" },
      context: { method: "POST", path: "/invoices/inv_9", user_agent: "test" },
    },
  ]);
});

test("a server action and its after() have the user of the request", async () => {
  const { events, url } = await serve();
  const page = await (await fetch(url)).text();
  const [, name = ""] = /name="(\$ACTION_ID_\w+)"/.exec(page) ?? [];
  const form = new FormData();
  form.set(name, "");
  form.set("name", "May");
  const headers = { "user-agent": "form", "x-user": "u_2", origin: url };
  const answer = await fetch(url, { method: "POST", headers, body: form });
  expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
  const actor = { type: "user", id: "u_2" };
  const context = { user_agent: "form" };
  expect(await events(2)).toMatchObject([
    { action: "invoice.rename", actor, context, metadata: { name: "May" } },
    { action: "invoice.renamed", actor, context },
  ]);
});
