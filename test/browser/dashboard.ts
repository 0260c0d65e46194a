// Opens the dashboard as a person does, and what each of its screens must be. Used by the tests of this
// folder.

import { eventually } from "@annals/testing";
import axe from "axe-core";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";
import { openPage } from "./browser.ts";

/** The windows that every screen has to fit. */
export const WIDTHS = [360, 1_440] as const;
const HEIGHT = 900;

/** Chromium writes the status of a refused request to the console. */
const REFUSED = /the server responded with a status of (401|403|404|422|500)/;

export interface LoginOptions {
  readonly baseUrl: string;
  readonly width?: number;
  readonly colorScheme?: "light" | "dark";
  readonly timezoneId?: string;
}

/** The login, which leads to the screen `at`. */
export async function openLogin(
  browser: Browser,
  { baseUrl, width = 1_440, colorScheme = "light", timezoneId }: LoginOptions,
  at = "usage",
): Promise<Page> {
  const viewport = { width, height: HEIGHT };
  const origins = [baseUrl];
  const look = { viewport, colorScheme, ...(timezoneId !== undefined && { timezoneId }) };
  const page = await openPage(browser, { origins, ...look, expected: REFUSED });
  await page.goto(`${baseUrl}/dashboard/#/${at}`);
  return page;
}

/** Logged in, at the screen `at`. */
export async function openDashboard(
  browser: Browser,
  { key, ...options }: LoginOptions & { readonly key: string },
  at?: string,
): Promise<Page> {
  const page = await openLogin(browser, options, at);
  await logIn(page, key);
  await page.getByRole("button", { name: "Log out" }).waitFor();
  await settled(page);
  return page;
}

export async function logIn(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Log in" }).click();
}

/** Goes to another screen by its address, and waits until it shows what it loaded. */
export async function visit(page: Page, at: string): Promise<void> {
  await page.evaluate((hash) => (location.hash = hash), `#/${at}`);
  await settled(page);
}

async function settled(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForFunction(() => document.querySelector(".waiting") === null);
}

/** Tab, or another key, until the element with the focus has this name. Returns how often. */
export async function tabTo(page: Page, name: RegExp, key = "Tab"): Promise<number> {
  let presses = 0;
  await eventually(`the focus is on ${name}`, async () => {
    await page.keyboard.press(key);
    presses += 1;
    // The field of a time has a button of its own, on which ":focus" is not.
    const label = await page.evaluate(() => {
      const focused = document.activeElement as HTMLInputElement;
      const written = focused.labels?.[0]?.innerText ?? focused.innerText;
      return focused.getAttribute("aria-label") ?? written;
    });
    return name.test(label);
  });
  return presses;
}

/** For docs/images: written where ANNALS_TEST_SCREENSHOTS names a folder. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env["ANNALS_TEST_SCREENSHOTS"];
  if (folder) await page.screenshot({ path: join(folder, `dashboard-${name}.png`) });
}

/** Fits the window, and axe finds nothing. */
export async function expectUsable(page: Page): Promise<void> {
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow, page.url()).toBeLessThanOrEqual(0);
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const found = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return found.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((each) => each.html).join(" ")}`,
    );
  });
  expect(violations, page.url()).toStrictEqual([]);
}
