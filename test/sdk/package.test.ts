// Guarantee: the SDK as it is published needs nothing private, is imported and required with right types, and
// stays within its budget. Every block of its README compiles and runs against the service. Typed actions
// refuse what they should at compile time.

import { Annals } from "@annals/sdk";
import { eventually, newAccount } from "@annals/testing";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import {
  addPackages,
  compile,
  install,
  type Installed,
  packageFaults,
  PACKED_WITHIN_MS,
} from "./installed.ts";

const { baseUrl, databaseUrl } = inject("stack");
const README = readFileSync(new URL("../../packages/sdk/README.md", import.meta.url), "utf8");
const SECRET = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;

/** Each block with what its comment says of it. */
const BLOCKS = [...README.matchAll(/(?:<!-- test: (\w+) -->\n)?```ts\n([\s\S]*?)```/g)].map(
  ([, kind = "program", text = ""], at) => ({ kind, text, file: `block-${at + 1}.ts` }),
);
const ofKind = (kind: string) => BLOCKS.filter((block) => block.kind === kind);

let installed: Installed;

beforeAll(async () => {
  installed = await install("sdk", "@annals/sdk");
  await addPackages(installed.folder, ["express", "fastify", "@types/express", "@types/node"]);
  for (const { file, text } of BLOCKS) await writeFile(join(installed.folder, file), text);
}, PACKED_WITHIN_MS);
afterAll(() => installed?.remove());

async function start(file: string, more: Readonly<Record<string, string>> = {}) {
  const { key } = await newAccount(databaseUrl);
  const child = spawn(process.execPath, [file], {
    cwd: installed.folder,
    env: { PATH: process.env["PATH"], ANNALS_URL: baseUrl, ANNALS_KEY: key, ...more },
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += String(chunk)));
  child.stdout.resume();
  onTestFinished(() => void child.kill("SIGKILL"));
  const annals = new Annals({ baseUrl, apiKey: key });
  return { annals, child, said: () => said };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function ended(child: ChildProcess): Promise<unknown> {
  return child.exitCode ?? (await once(child, "exit"))[0];
}

test("nothing keeps it from being published", async () => {
  const budget = {
    tarball: 90_000,
    files: { "dist/npm/index.js": 12_000 },
    isCommonJsToo: true,
  };
  expect(await packageFaults(installed, budget)).toEqual([]);
});

test("it is imported and required, and its types are strict in both", async () => {
  const names = "Annals, AnnalsError, defineActions, diff, verifyWebhook";
  const program = `const { events } = new Annals({ baseUrl: "http://x", apiKey: "k" });
    if (typeof events.create + typeof diff !== "functionfunction") process.exit(1);`;
  const modules = ["@annals/sdk/express", "@annals/sdk/fastify"];
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

test.each(ofKind("program"))("$file runs", async ({ file }) => {
  const { child, said } = await start(file);
  expect(await ended(child)).toBe(0);
  expect(said()).toBe("");
});

test.each(ofKind("server"))("$file serves, and records", async ({ file }) => {
  const port = await freePort();
  const { annals, child, said } = await start(file, { PORT: String(port) });
  const answer = await eventually("an answer", () =>
    fetch(`http://127.0.0.1:${port}/invoices/inv_9`, { method: "POST" }),
  );
  expect(answer.status).toBe(204);
  child.kill("SIGTERM");
  expect(await ended(child)).toBe(0);
  expect(said()).toBe("");
  const [event, ...others] = await annals.events.list().toArray();
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    action: "invoice.update",
    actor: { type: "user", id: "u_1" },
    target: { type: "invoice", id: "inv_9" },
    diff: { before: { total: 1200 }, after: { total: 1250 } },
    context: { method: "POST", path: "/invoices/inv_9" },
  });
});

test.each(ofKind("webhook"))("$file accepts a delivery, and no forged one", async ({ file }) => {
  const port = await freePort();
  await start(file, { PORT: String(port), WEBHOOK_SECRET: SECRET });
  const timestamp = new Date().toISOString();
  const data = { sequence_number: 1 };
  const body = JSON.stringify({ id: "wh_evt_1", event: "event.created", data, timestamp });
  const headers = {
    "x-service-signature": createHmac("sha256", SECRET).update(body).digest("hex"),
    "webhook-id": "wh_evt_1",
    "webhook-timestamp": String(Math.floor(Date.now() / 1_000)),
    "webhook-signature": new Webhook(SECRET).sign("wh_evt_1", new Date(), body),
  };
  const post = (text: string) =>
    fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: text, headers });
  const answer = await eventually("an answer", () => post(body));
  expect(answer.status).toBe(204);
  expect((await post(`${body} `)).status).toBe(400);
});
