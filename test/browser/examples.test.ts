// Guarantee: the examples that people copy work: a page, and the servers that make its tokens in Node.js and,
// where it is, in Python. The page shows what its token may see and nothing else.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { expectAccessible, openPage } from "./browser.ts";
import { openBrowser } from "./chromium.ts";
import { accountWith } from "./events.ts";

const stack = inject("stack");
const EXAMPLES = join(import.meta.dirname, "../../packages/viewer/examples");
const SERVERS = [
  { program: process.execPath, file: "token-server.mjs" },
  { program: "python3", file: "token_server.py" },
].filter(({ program }) => spawnSync(program, ["--version"]).status === 0);

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test.each(SERVERS)(
  "the page of $file shows the invoices, and they are verified",
  async (server) => {
    const { key } = await accountWith(stack, 3);
    const origin = await start(server, key);
    const page = await openPage(browser, { origins: [origin, stack.baseUrl], expected: /favicon/ });
    await page.goto(origin);
    const viewer = page.locator("annals-viewer");
    await viewer.getByText("All 1 loaded events are verified").waitFor();
    expect(await viewer.locator(".body [role=row]").innerText()).toContain("invoice.update");
    await expectAccessible(page);
  },
);

async function start({ program, file }: (typeof SERVERS)[number], key: string): Promise<string> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const settings = { ANNALS_URL: stack.baseUrl, ANNALS_KEY: key, PORT: String(port) };
  const child = spawn(program, [join(EXAMPLES, file)], {
    env: { PATH: process.env["PATH"], ...settings, ORIGIN: origin },
    stdio: "ignore",
  });
  onTestFinished(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  const isUp = () =>
    fetch(origin).then(
      (answer) => answer.status,
      () => 0,
    );
  await expect.poll(isUp, { timeout: 20_000 }).toBe(200);
  return origin;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
