// Guarantee: every screen of the dashboard can be used by people who see and point differently: in small
// windows and at 200 % zoom nothing is cut off or covered and each time is whole, what is no text has a
// contrast of 3:1, every stop of Tab is seen, and forced colours leave every state in sight.

import { newClient } from "@annals/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { URL_OF_NOBODY } from "../system/bad-bodies.ts";
import { ended } from "../system/exports-client.ts";
import { openBrowser } from "./chromium.ts";
import { expectUsable, openDashboard, openLogin, visit } from "./dashboard.ts";
import {
  changedPixels,
  expectDistinct,
  expectFocusSeen,
  expectStill,
  expectWhole,
  WINDOWS,
} from "./looks.ts";

const stack = inject("stack");
const { baseUrl } = stack;

const SCREENS = [
  "overview",
  "verification",
  "fields",
  "keys",
  "webhooks",
  "sinks",
  "exports",
  "retention",
  "holds",
  "erasures",
  "widget-tokens",
  "workloads",
  "usage",
  "events",
] as const;

let browser: Browser;
let key: string;
beforeAll(async () => {
  browser = await openBrowser();
  key = await filled();
});
afterAll(() => browser.close());

/** An account with one of everything, some of which fails. */
async function filled(): Promise<string> {
  const account = await newClient(stack);
  const { client } = account;
  const events = Array.from({ length: 12 }, (_, n) => ({
    action: "invoice.update",
    actor: { id: `usr_${n}`, type: "user", meta: { name: `Person ${n}` } },
    context: { ip: "2001:db8:85a3:1234:5678:8a2e:370:7334" },
    metadata: { outcome: n % 2 === 0 ? "failure" : "success" },
    diff: { before: { total: 1 }, after: { total: 2 } },
    occurred_at: new Date(Date.now() - (n + 1) * 3_600_000).toISOString(),
  }));
  const made = async (path: string, body: object) => {
    const { status, text, body: answer } = await client.post(path, body);
    expect([200, 201, 202], text).toContain(status);
    return answer.data;
  };
  const stored = await made("/v1/events/batch", { events });
  await made("/v1/search/fields", { path: "context.ip", name: "ip", type: "ip" });
  await made("/v1/api-keys", { name: "Auditor", scopes: ["verify"] });
  await made("/v1/webhooks", { url: URL_OF_NOBODY, events: ["event.verified"] });
  const config = {
    url: "https://siem.annals.invalid/in",
    headers: { "X-Key": "k" },
    body: "array",
  };
  await made("/v1/sinks", { type: "http", config });
  await made("/v1/widget-tokens", { viewer: { id: "u_1", name: "A customer" } });
  await made("/v1/searches", { name: "Failures", filter: { outcome: ["failure"] } });
  await made("/v1/erasures", { event_id: stored[3].id, parts: ["context"] });
  await made("/v1/holds", { from_sequence: 1, to_sequence: 2 });
  const { id } = await made("/v1/exports", {});
  await ended(client, id);
  return account.key;
}

/** Each screen in turn; the opened event is the last. */
async function eachScreen(page: Page, look: (name: string) => Promise<void>): Promise<void> {
  for (const name of SCREENS) {
    await visit(page, name);
    if (name === "overview") await page.locator(".days").waitFor();
    if (name === "events") await page.getByText(/loaded events are verified/).waitFor();
    await look(name);
  }
  await page.locator("annals-viewer #row-2").click({ position: { x: 60, y: 10 } });
  await page.getByRole("button", { name: "Copy JSON" }).waitFor();
  await look("the opened event");
}

test.each(WINDOWS)("all is whole and reached at $width × $height", async ({ width, height }) => {
  const login = await openLogin(browser, { baseUrl, width });
  await login.setViewportSize({ width, height });
  await login.getByLabel("API key").waitFor();
  await expectWhole(login, "the login");
  const page = await openDashboard(browser, { baseUrl, key, width });
  await page.setViewportSize({ width, height });
  await eachScreen(page, async (name) => {
    await expectWhole(page, name);
    await expectUsable(page);
  });
  await expectStill(page);
});

test.each(["light", "dark"] as const)("what is no text stands out: %s", async (colorScheme) => {
  const page = await openDashboard(browser, { baseUrl, key, colorScheme });
  await eachScreen(page, async (name) => {
    await expectDistinct(page, name);
    expect(await expectFocusSeen(page, name)).toBeGreaterThan(12);
  });
  await visit(page, "overview");
  const day = page.locator(".days a").last();
  const ring = await changedPixels(page.locator(".days"), async () => {
    await page.keyboard.press("Tab");
    await day.focus();
  });
  expect(ring, "the ring of a bar").toBeGreaterThan(40);
});

test("forced colours leave every state in sight", async () => {
  const page = await openDashboard(browser, { baseUrl, key }, "overview");
  await page.emulateMedia({ forcedColors: "active" });
  await page.locator(".days").waitFor();
  const styles = (selector: string, name: string) =>
    page
      .locator(selector)
      .evaluateAll(
        (all, property) => all.map((it) => getComputedStyle(it).getPropertyValue(property)),
        name,
      );
  const [current] = await styles("nav a[aria-current]", "border-left-color");
  const others = await styles(".side a:not([aria-current])", "border-left-color");
  expect(others.length).toBeGreaterThan(8);
  expect(others, "the current screen").not.toContain(current);
  expect(new Set(await styles(".hint :is(.all, .failures)", "color")).size, "the legend").toBe(2);
  const [all, failures, edge] = await Promise.all([
    styles("rect.all", "fill"),
    styles("rect.failures", "fill"),
    styles("rect.failures", "stroke"),
  ]);
  expect(new Set([all[0], failures[0], edge[0]]).size, "bars").toBe(3);
});
