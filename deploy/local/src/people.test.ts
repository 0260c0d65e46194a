// Guarantee: `npm start -- --people` starts an identity provider at which a browser logs in as a manager and
// as a viewer, also after another start; SIGTERM ends both. It starts its own systems: that is what it tests.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "./testing/folders.ts";
import { waitUntil } from "./wait-until.ts";

/** Servers start and stop in these tests, on a machine that may be busy. Milliseconds. */
const START_MS = 60_000;
vi.setConfig({ testTimeout: 3 * START_MS });

const MAX_HOPS = 10;

function launch(dataDir: string, variables: Readonly<Record<string, string>> = {}) {
  const env = {
    PATH: process.env["PATH"],
    ANNALS_PORT: "0",
    ANNALS_DATA_DIR: dataDir,
    ANNALS_NATS_URL: "nats://127.0.0.1:9",
    ...variables,
  };
  const main = resolve(import.meta.dirname, "main.ts");
  const started = spawn(process.execPath, ["-C", "source", main, "--people"], { env });
  let text = "";
  for (const stream of [started.stdout, started.stderr])
    stream.on("data", (bytes) => (text += String(bytes)));
  onTestFinished(() => void started.kill("SIGTERM"));
  return { started, output: () => text };
}

async function start(dataDir: string): Promise<{ started: ChildProcess; baseUrl: string }> {
  const { output, started } = launch(dataDir);
  const ready = /^ready (http:\S+)\/v1$/m;
  await waitUntil(() => ready.test(output()) || started.exitCode !== null, START_MS);
  const baseUrl = ready.exec(output())?.[1];
  if (baseUrl === undefined) throw new Error(`not ready:\n${output()}`);
  expect(output()).toContain(`\npeople        ${baseUrl}/auth/login/local\n`);
  expect(output()).toContain("Ada Lovelace (manager) or Grace Hopper (viewer)");
  return { started, baseUrl };
}

/** Follows redirects, and keeps cookies by name: a port does not part them. */
class Browser {
  readonly #cookies = new Map<string, string>();

  /** Resolves to the first page that is no redirect. Stops before one that `isEnd`. */
  async open(url: string, body?: string, isEnd: (url: URL) => boolean = () => false) {
    let [next, form] = [new URL(url), body];
    for (let hop = 0; hop < MAX_HOPS && !isEnd(next); hop += 1) {
      const response = await this.#send(next, form);
      const location = response.headers.get("location");
      if (location === null) return { url: next, text: await response.text() };
      [next, form] = [new URL(location, next), undefined];
    }
    return { url: next, text: "" };
  }

  async #send(url: URL, form: string | undefined): Promise<Response> {
    const cookie = Array.from(this.#cookies, ([name, value]) => `${name}=${value}`).join("; ");
    const headers = { cookie, "content-type": "application/x-www-form-urlencoded" };
    const method = form === undefined ? { headers } : { headers, method: "POST", body: form };
    const response = await fetch(url, { ...method, redirect: "manual" });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      this.#cookies.set(name, value);
    }
    return response;
  }
}

/** Presses the button with the name. Resolves to who is then logged in, and to the provider. */
async function logIn(baseUrl: string, name: string) {
  const browser = new Browser();
  const page = await browser.open(`${baseUrl}/auth/login/local?return_to=%23/events`);
  const [, button = ""] =
    new RegExp(`<button name="person" value="(\\w+)">${name}`).exec(page.text) ?? [];
  const isDashboard = ({ pathname }: URL) => pathname === "/dashboard/";
  const end = await browser.open(page.url.href, `person=${button}`, isDashboard);
  expect(end.url.href).toBe(`${baseUrl}/dashboard/#/events`);
  const { text } = await browser.open(`${baseUrl}/auth/session`);
  return { issuer: page.url.origin, session: JSON.parse(text).data };
}

async function stop(started: ChildProcess): Promise<void> {
  started.kill("SIGTERM");
  expect(await once(started, "exit")).toEqual([0, null]);
}

test("a manager and a viewer log in; what was given to them is given once", async () => {
  const dataDir = join(temporaryFolder(), "data");
  const first = await start(dataDir);
  const { issuer, session } = await logIn(first.baseUrl, "Ada Lovelace");
  expect(session).toMatchObject({ name: "Ada Lovelace", accounts: [{ role: "manager" }] });
  const viewer = await logIn(first.baseUrl, "Grace Hopper");
  expect(viewer.session).toMatchObject({ name: "Grace Hopper", accounts: [{ role: "viewer" }] });
  await stop(first.started);
  await expect(fetch(issuer)).rejects.toThrow("fetch failed");

  const second = await start(dataDir);
  const again = await logIn(second.baseUrl, "Ada Lovelace");
  expect(again.session.accounts).toMatchObject([{ role: "manager" }]);
  const key = readFileSync(join(dataDir, "bootstrap-key"), "utf8").trim();
  const headers = { authorization: `Bearer ${key}` };
  const mappings = await fetch(`${second.baseUrl}/v1/role-mappings`, { headers });
  expect(await mappings.json()).toMatchObject({ data: { length: 2 } });
  await stop(second.started);
});

test("a setting that it would replace is one line that names it", async () => {
  const variables = { ANNALS_PUBLIC_URL: "https://audit.example.com" };
  const { output, started } = launch(join(temporaryFolder(), "data"), variables);
  expect(await once(started, "close")).toEqual([1, null]);
  expect(output()).toBe("annals: ANNALS_PUBLIC_URL is set, and --people sets it itself\n");
});
