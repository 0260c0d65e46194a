// The blocks of the SDK's README, and a test of each that runs it against the service: as a program, as a
// server that records an event, as a receiver of webhooks. Called for Node by package.test.ts, for other
// runtimes by test/runtimes.

import { freePort } from "@annals/local";
import { Annals } from "@annals/sdk";
import { createDatabase, eventually, newAccount } from "@annals/testing";
import { transform } from "esbuild";
import { type ChildProcess, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { expect, inject, onTestFinished, test } from "vitest";
import { addPackages, install, type Installed } from "./installed.ts";

const README = readFileSync(new URL("../../packages/sdk/README.md", import.meta.url), "utf8");
export const WEBHOOK_SECRET = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;

/** Each block with what its comment says of it. */
export const BLOCKS = [...README.matchAll(/(?:<!-- test: (\w+) -->\n)?```ts\n([\s\S]*?)```/g)].map(
  ([, kind = "program", text = ""], at) => ({ kind, text, file: `block-${at + 1}.ts` }),
);
const ofKind = (kind: string) => BLOCKS.filter((block) => block.kind === kind);

/** What runs of a block with decorators, which runtimes do not know. */
const plain = (file: string): string => file.replace(".ts", ".mjs");

export async function js(text: string): Promise<string> {
  const tsconfigRaw = { compilerOptions: { experimentalDecorators: true } };
  return (await transform(text, { loader: "ts", format: "esm", tsconfigRaw })).code;
}

/** The SDK with the blocks and what they import. */
export async function installBlocks(): Promise<Installed> {
  const installed = await install("sdk", "@annals/sdk");
  await addPackages(installed.folder, [
    "@hono/node-server",
    "@modelcontextprotocol/sdk",
    "@nestjs/common",
    "@nestjs/core",
    "express",
    "fastify",
    "hono",
    "pg",
    "@types/express",
    "@types/node",
    "@types/pg",
    "rxjs",
    "zod",
  ]);
  for (const { file, kind, text } of BLOCKS) {
    await writeFile(join(installed.folder, file), text);
    if (kind === "decorated") await writeFile(join(installed.folder, plain(file)), await js(text));
  }
  return installed;
}

/** A delivery as the service signs it (docs/webhooks.md). */
export function signedDelivery() {
  const now = new Date();
  const payload = { id: "wh_evt_1", event: "event.created", data: { sequence_number: 1 } };
  const body = JSON.stringify({ ...payload, timestamp: now.toISOString() });
  const headers = {
    "x-service-signature": createHmac("sha256", WEBHOOK_SECRET).update(body).digest("hex"),
    "webhook-id": payload.id,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
    "webhook-signature": new Webhook(WEBHOOK_SECRET).sign(payload.id, now, body),
  };
  return { body, headers };
}

/** A process of the test, in the folder, with an account of its own. */
export async function startWithAccount(
  [command = "", ...words]: readonly string[],
  cwd: string,
  more: Readonly<Record<string, string>> = {},
) {
  const { baseUrl, databaseUrl } = inject("stack");
  const { key } = await newAccount(databaseUrl);
  const env = { PATH: process.env["PATH"], HOME: cwd, ANNALS_URL: baseUrl, ANNALS_KEY: key };
  const child = spawn(command, words, { cwd, env: { ...env, ...more } });
  let printed = "";
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += String(chunk)));
  child.stderr.on("data", (chunk: Buffer) => (said += String(chunk)));
  onTestFinished(() => void child.kill("SIGKILL"));
  const annals = new Annals({ baseUrl, apiKey: key });
  return { annals, child, printed: () => printed, said: () => said };
}

/** Its exit code, with all that it printed. */
export async function ended(child: ChildProcess): Promise<unknown> {
  if (child.exitCode === null) await once(child, "close");
  return child.exitCode;
}

/** Adds a test for each block. `command` begins a program of the runtime that is tested. */
export function testBlocks(command: readonly string[], installed: () => Installed): void {
  const start = (file: string, more?: Readonly<Record<string, string>>) =>
    startWithAccount([...command, file], installed().folder, more);

  test.each(ofKind("program"))("$file runs", async ({ file }) => {
    const { child, said } = await start(file);
    expect(await ended(child), said()).toBe(0);
    expect(said()).toBe("");
  });

  const decorated = ofKind("decorated").map(({ file }) => ({ file: plain(file) }));
  test.each([...ofKind("server"), ...decorated])("$file serves, and records", async ({ file }) => {
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

  test.each(ofKind("mcp"))("$file records the call of a tool", async ({ file }) => {
    const { annals, child, printed, said } = await start(file);
    const call = { name: "send_invoice", arguments: { id: "inv_9", note: "secret" } };
    const clientInfo = { name: "test", version: "1" };
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    const messages = [
      { id: 1, method: "initialize", params },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/call", params: call },
    ];
    for (const message of messages)
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    await eventually("an answer", () => printed().includes("sent inv_9"));
    child.stdin.end();
    expect(await ended(child), said()).toBe(0);
    expect(said()).toBe("");
    const actor = { type: "agent", meta: { on_behalf_of: { type: "user", id: "u_1" } } };
    expect(await annals.events.list({ order: "asc" }).toArray()).toMatchObject([
      { action: "invoice.send", actor },
      {
        action: "tool.call",
        actor,
        target: { type: "tool", id: "send_invoice" },
        metadata: { outcome: "success", arguments: { id: "inv_9" } },
      },
    ]);
  });

  test.each(ofKind("webhook"))("$file accepts a delivery, and no forged one", async ({ file }) => {
    const port = await freePort();
    await start(file, { PORT: String(port), WEBHOOK_SECRET });
    const { body, headers } = signedDelivery();
    const post = (text: string) =>
      fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: text, headers });
    const answer = await eventually("an answer", () => post(body));
    expect(answer.status).toBe(204);
    expect((await post(`${body} `)).status).toBe(400);
  });
}

/** Adds tests for the blocks whose events are on disk or in a database until they are stored. */
export function testKeptEvents(command: readonly string[], installed: () => Installed): void {
  const start = (file: string, more: Readonly<Record<string, string>>) =>
    startWithAccount([...command, file], installed().folder, more);

  test.each(ofKind("spool"))("$file stores its event, leaves nothing on disk", async ({ file }) => {
    const dir = join(installed().folder, "spool");
    const { annals, child, printed, said } = await start(file, { SPOOL_DIR: dir });
    expect(await ended(child), said()).toBe(0);
    expect(printed()).toContain("waiting: 0");
    expect(await readdir(dir)).toEqual([]);
    expect(await annals.events.list().toArray()).toMatchObject([{ action: "user.login" }]);
  });

  test.each(ofKind("outbox"))("$file sends what it has committed", async ({ file }) => {
    const database = await createDatabase(inject("stack").databaseUrl);
    onTestFinished(() => database.drop());
    const { annals, child, said } = await start(file, { DATABASE_URL: database.url });
    const events = await eventually("an event", async () => {
      const listed = await annals.events.list().toArray();
      return listed.length > 0 && listed;
    });
    expect(events).toMatchObject([{ action: "invoice.update" }]);
    child.kill("SIGTERM");
    expect(await ended(child), said()).toBe(0);
  });
}
