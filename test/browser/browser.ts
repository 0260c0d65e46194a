// A real Chromium for tests, from npm. Called by the tests of this folder. A page fails its test when it logs
// an error, breaks its content security policy, or asks another host for anything.

import axe from "axe-core";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createBrotliDecompress } from "node:zlib";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";

const CACHE = join(import.meta.dirname, "../../node_modules/.cache/annals");

/** The tests run as root in containers, where Chromium's own sandbox has no user to change to. */
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"];

/** One per test file; `close` ends it. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await unpack(), args: ARGUMENTS });
}

export interface PageOptions extends BrowserContextOptions {
  /** The origins that the page may ask: the gateway's, and that of the page. */
  readonly origins: readonly string[];
  /** Errors on the console that the test provokes, such as the status of an answer. */
  readonly expected?: RegExp;
}

/** A page with a profile of its own, closed and judged when the test ends. */
export async function openPage(
  browser: Browser,
  { origins, expected, ...options }: PageOptions,
): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  const faults: string[] = [];
  const isOurs = (url: string) =>
    /^(data|blob|about):/.test(url) || origins.includes(new URL(url).origin);
  context.on("request", (request) => {
    if (!isOurs(request.url())) faults.push(`a request to ${request.url()}`);
  });
  // A violation of the policy is an error on the console too.
  context.on("console", (message) => {
    const text = `${message.text()} (${message.location().url})`;
    if (message.type() === "error" && expected?.test(text) !== true) faults.push(text);
  });
  context.on("weberror", (error) => faults.push(String(error.error())));
  onTestFinished(async () => {
    await context.close();
    expect(faults).toStrictEqual([]);
  });
  return context.newPage();
}

/** No violation of the rules that axe knows, in shadow trees too. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>("axe.run()");
  const found = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`,
  );
  expect(found).toStrictEqual([]);
}

/** Unpacks Chromium once per checkout. Two runs at the same time each unpack, and the last one stays. */
async function unpack(): Promise<string> {
  const module = fileURLToPath(import.meta.resolve("@sparticuz/chromium"));
  const version = /chromium@([\d.]+)/.exec(module)?.[1] ?? "";
  const program = join(CACHE, `chromium-${version}`);
  if (existsSync(program)) return program;
  await mkdir(CACHE, { recursive: true });
  const partial = `${program}.${process.pid}`;
  try {
    await pipeline(
      createReadStream(join(dirname(module), "../bin/chromium.br")),
      createBrotliDecompress(),
      createWriteStream(partial, { mode: 0o755 }),
    );
    await rename(partial, program);
  } finally {
    await rm(partial, { force: true });
  }
  return program;
}
