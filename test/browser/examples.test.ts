// Guarantee: the examples that people copy work: the pages for plain HTML, React and Vue, with the servers
// that make their tokens in Node.js and, where it is, in Python. A page shows what its token may see and
// nothing else, hears of the viewer's events, and gets another token before the first one ends.

import { freePort } from "@annals/local";
import { eventually } from "@annals/testing";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { bundled } from "./applications.ts";
import { expectAccessible, openPage } from "./browser.ts";
import { openBrowser } from "./chromium.ts";
import { accountWith } from "./events.ts";
import { hasPython } from "../system/programs.ts";

const stack = inject("stack");
const EXAMPLES = join(import.meta.dirname, "../../packages/viewer/examples");
const SERVERS = [
  { program: process.execPath, file: "token-server.mjs" },
  ...(hasPython ? [{ program: "python3", file: "token_server.py" }] : []),
];
/** The examples ask for tokens of 15 minutes: the next one is due a minute before the end. */
const UNTIL_RENEWAL_MS = 14 * 60_000;
/** Between two polls for new events, and before a third token: the page's clock is then ahead. */
const POLL_MS = 10_000;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

describe.each(SERVERS)("with $file", (server) => {
  test("the page of plain HTML shows the invoices, and they are verified", async () => {
    const origin = await start(server, EXAMPLES);
    const page = await openPage(browser, { origins: [origin, stack.baseUrl], expected: /favicon/ });
    await page.goto(origin);
    await expectInvoices(page);
  });

  test.each(["react", "vue"] as const)(
    "the page of %s shows them, hears of what is selected, and renews its token",
    async (framework) => {
      const origin = await start(server, await application(server.file, framework));
      const page = await openPage(browser, {
        origins: [origin, stack.baseUrl],
        expected: /favicon/,
      });
      await page.clock.install();
      const asked = tokensOf(page);
      await page.goto(origin);
      await expectInvoices(page);
      await page.locator("annals-viewer .body [role=row]").click();
      const invoice = expect.objectContaining({ action: "invoice.update" }) as unknown;
      await expect.poll(() => told(page)).toEqual([["select", invoice]]);

      await Promise.all([
        page.waitForEvent("requestfinished", (request) => request.url().endsWith("/audit-token")),
        page.clock.fastForward(UNTIL_RENEWAL_MS),
      ]);
      expect((await told(page)).slice(1)).toEqual([["expiring", false]]);
      await page.clock.fastForward(POLL_MS);
      // The first token, and later the second one, each from the server and used then.
      const token = expect.stringMatching(/^Bearer \w+$/) as unknown;
      await expect.poll(asked).toEqual(["/audit-token", token, "/audit-token", token]);
      expect(new Set(asked()).size).toBe(3);
    },
  );
});

/** What the page asked its server for a token, and with which tokens it asked the service then. */
function tokensOf(page: Page): () => string[] {
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    const bearer = request.headers()["authorization"];
    if (pathname === "/audit-token") asked.push(pathname);
    else if (bearer !== undefined && bearer !== asked.at(-1)) asked.push(bearer);
  });
  return () => asked;
}

async function expectInvoices(page: Page): Promise<void> {
  const viewer = page.locator("annals-viewer");
  await viewer.getByText("The loaded event is verified").waitFor();
  expect(await viewer.locator(".body [role=row]").innerText()).toContain("invoice.update");
  await expectAccessible(page);
}

const told = (page: Page): Promise<unknown[]> =>
  page.evaluate(() => Reflect.get(window, "told") as unknown[]);

/** A folder with the server of the examples, and a page and script of one's own beside it. */
async function application(file: string, framework: "react" | "vue"): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "annals-application-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const server = await readFile(join(EXAMPLES, file), "utf8");
  // As docs/widget.md says of Vue.
  await writeFile(join(folder, file), server.replace("lit-html annals-viewer", "$& vue"));
  await writeFile(join(folder, "page.js"), await bundled(framework));
  await writeFile(
    join(folder, "index.html"),
    `<!doctype html><html lang="en"><title>Audit log</title><main><h1>Audit log</h1>
      <div id="application" data-server="${stack.baseUrl}"></div></main>
      <script type="module" src="/page.js"></script></html>`,
  );
  return folder;
}

async function start({ program, file }: (typeof SERVERS)[number], folder: string): Promise<string> {
  const { key } = await accountWith(stack, 3);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const settings = { ANNALS_URL: stack.baseUrl, ANNALS_KEY: key, PORT: String(port) };
  const child = spawn(program, [join(folder, file)], {
    env: { PATH: process.env["PATH"], ...settings, ORIGIN: origin },
    stdio: "ignore",
  });
  onTestFinished(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  await eventually("its page", () => fetch(origin));
  return origin;
}
