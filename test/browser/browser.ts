// Pages of a browser for tests. A page fails its test when it logs an error, breaks its content security
// policy, or asks another host for anything. Called by the tests of this folder.

import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";

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
