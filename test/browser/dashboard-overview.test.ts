// Guarantee: the overview names each sink and webhook that fails, and why. What the key may not see is left
// out, without an error. The menu reaches every screen in a wide and in a narrow window, with the keyboard.
// Every time is in one zone, which the header names.

import { newClient, newKey } from "@annals/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { URL_OF_NOBODY } from "../system/bad-bodies.ts";
import { openBrowser } from "./chromium.ts";
import { expectUsable, logIn, openDashboard, shoot, tabTo, visit, WIDTHS } from "./dashboard.ts";

const stack = inject("stack");
const { baseUrl, databaseUrl } = stack;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const card = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

test("a sink and a webhook that fail are named, with the reason", async () => {
  const { key, client, accountId } = await newClient(stack);
  const webhook = { url: URL_OF_NOBODY, events: ["event.created"] };
  await client.post("/v1/webhooks", webhook);
  const config = { url: "https://siem.annals.invalid/in" };
  await client.post("/v1/sinks", { type: "http", config, from: "start" });
  await client.post("/v1/sinks", { type: "http", config, active: false });
  await client.post("/v1/events", { action: "invoice.sent", actor: { id: "u_7" } });
  const page = await openDashboard(browser, { baseUrl, key }, "overview");
  await vi.waitFor(async () => {
    await page.getByRole("button", { name: "Refresh" }).click();
    await card(page, "Sinks").getByText("Failing: 1 of 2 sinks.").waitFor({ timeout: 1_000 });
    await card(page, "Webhooks").getByText("Failing: 1 of 1 webhook.").waitFor({ timeout: 1_000 });
  }, 30_000);
  expect(await card(page, "Sinks").innerText()).toMatch(/siem\.annals\.invalid[^]*failing\s+\S+/);
  const webhooks = await card(page, "Webhooks").innerText();
  expect(webhooks).toContain(URL_OF_NOBODY);
  expect(webhooks).toMatch(/failing\s+No response/);
  expect(await card(page, "Newest events").innerText()).toMatch(/invoice\.sent\s+u_7/);
  await shoot(page, "overview");
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await expectUsable(page);
  }

  const reader = await newKey(databaseUrl, accountId, ["events:read"]);
  const other = await openDashboard(browser, { baseUrl, key: reader.key }, "overview");
  await card(other, "Newest events").getByText("invoice.sent").waitFor();
  expect(await other.getByRole("heading", { level: 2 }).allInnerTexts()).toEqual([
    "Events a day",
    "Most frequent",
    "Newest events",
    "Limits",
  ]);
  expect(await other.getByRole("alert").count()).toBe(0);
});

test("days and frequent values lead to their events, and a copied link shows them in another browser", async () => {
  const { key, client } = await newClient(stack);
  await client.post("/v1/search/fields", { path: "context.ip", name: "ip", type: "ip" });
  const events = ["success", "success", "failure"].map((outcome, n) => ({
    action: "user.login",
    actor: { id: `u_${n % 2}` },
    context: { ip: `203.0.113.${n % 2}` },
    metadata: { outcome },
  }));
  const old = { action: "user.logout", occurred_at: "2026-01-31T02:30:00Z" };
  await client.post("/v1/events/batch", { events: [...events, old] });
  const look = { baseUrl, key, timezoneId: "America/New_York" };
  const page = await openDashboard(browser, look, "overview");
  await card(page, "Events a day").getByText("3 events, 1 of them failures.").waitFor();
  const top = card(page, "Most frequent");
  expect(await top.getByRole("heading", { level: 3 }).allInnerTexts()).toEqual([
    "Top actors",
    "Top actions",
    "Top addresses",
  ]);
  expect(await top.innerText()).toMatch(/u_0\s*2[^]*user\.login\s*3[^]*203\.0\.113\.0\s*2/);
  await card(page, "Events a day")
    .getByRole("link", { name: /: 3 events, 1 failure$/ })
    .focus();
  await page.keyboard.press("Enter");
  await page.getByText("All 3 loaded events are verified").waitFor();
  await page.goBack();
  await top.getByRole("link", { name: "203.0.113.0" }).click();
  await page.getByText("All 2 loaded events are verified").waitFor();
  const query = page.getByRole("combobox", { name: /^Query/ });
  expect(await query.inputValue()).toBe("ip:203.0.113.0");

  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.locator("header").getByRole("combobox", { name: "Time zone" }).selectOption("UTC");
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText("The link is copied.").waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const at = new URL(link).hash.slice("#/".length);
  const other = await openDashboard(browser, look, at);
  await other.getByText("All 2 loaded events are verified").waitFor();
  expect(await other.getByRole("grid").getByRole("columnheader").first().innerText()).toBe(
    "Time (UTC)",
  );
  expect(await other.getByRole("region", { name: "Frequent values" }).innerText()).toMatch(
    /ip\s+203\.0\.113\.0/i,
  );
  await expectUsable(other);
});

test.each(WIDTHS)("the menu leads to a screen with the keyboard, at %i pixels", async (width) => {
  const { key } = await newClient(stack);
  const page = await openDashboard(browser, { baseUrl, key, width }, "usage");
  const isNarrow = width < 1_024;
  if (isNarrow) {
    await tabTo(page, /^Menu$/, "Shift+Tab");
    await page.keyboard.press("Enter");
    await expectUsable(page);
  }
  await tabTo(page, /^Holds$/, isNarrow ? "Tab" : "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Holds" }).waitFor();
  expect(await page.locator(":focus").innerText()).toBe("Holds");
  const menu = page.getByRole("navigation", { name: "Screens" });
  expect(await menu.count()).toBe(isNarrow ? 0 : 1);
  if (isNarrow) await page.getByText("Menu", { exact: true }).click();
  expect(await menu.getByRole("link", { name: "Holds" }).getAttribute("aria-current")).toBe("page");
});

test("every time is in the zone that the header names, in the viewer too, and it is remembered", async () => {
  const { key, client } = await newClient(stack);
  await client.post("/v1/events", { action: "a.b", occurred_at: "2026-01-31T02:30:00Z" });
  const look = { baseUrl, key, timezoneId: "America/New_York" };
  const page = await openDashboard(browser, look, "overview");
  await card(page, "Newest events").getByText("Jan 30, 2026, 9:30:00 PM").waitFor();
  const zone = page.locator("header").getByRole("combobox", { name: "Time zone" });
  expect(await zone.innerText()).toContain("Local (America/New_York)");
  await zone.selectOption("UTC");
  await card(page, "Newest events").getByText("Jan 31, 2026, 2:30:00 AM").waitFor();
  await visit(page, "events");
  await page.getByText("Jan 31, 2026, 2:30:00 AM").waitFor();
  await page.reload();
  await logIn(page, key);
  await page.getByText("Jan 31, 2026, 2:30:00 AM").waitFor();
  await page
    .locator("annals-viewer")
    .getByRole("combobox", { name: "Time zone" })
    .selectOption("local");
  await page.getByText("Jan 30, 2026, 9:30:00 PM").waitFor();
  expect(await zone.inputValue()).toBe("local");
});
