// Guarantee: a reader of `<annals-viewer>` finds events by filters, pages and keys, and never loses the place
// that was read; a token that ends is renewed, and what cannot be read is said.

import type { HttpClient } from "@annals/testing";
import { newClient } from "@annals/testing";
import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { expectAccessible } from "./browser.ts";
import { openBrowser } from "./chromium.ts";
import { embed, type Embedding } from "./embed.ts";
import { accountWith } from "./events.ts";
import { INVOICE } from "./invoice.ts";

const stack = inject("stack");
const { baseUrl } = stack;

let browser: Browser;
let client: HttpClient;
beforeAll(async () => {
  browser = await openBrowser();
  ({ client } = await accountWith(stack, 320));
});
afterAll(() => browser.close());

const show = (more: Partial<Embedding> = {}) => embed(browser, { baseUrl, client, ...more });

const rows = (viewer: Locator) => viewer.locator(".body [role=row]");
const grid = (viewer: Locator) => viewer.getByRole("grid");

const queryOf = (viewer: Locator) => viewer.getByRole("combobox", { name: /^Query/ });

test("keys alone complete a query, and a range of time narrows it, in the address too", async () => {
  const { viewer, page } = await show({ attributes: "sync-url" });
  await viewer.getByText("All 100 loaded events are verified").waitFor();
  const query = queryOf(viewer);
  await query.focus();
  await page.keyboard.type("ac");
  const options = viewer.getByRole("listbox").getByRole("option");
  await options.first().waitFor();
  expect(await options.count()).toBe(3);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const value = viewer.getByRole("listbox").getByRole("option", { name: "invoice.update" });
  await value.waitFor();
  await page.keyboard.type("inv");
  await expect.poll(() => options.count()).toBe(1);
  await page.keyboard.press("ArrowDown");
  expect(await query.getAttribute("aria-activedescendant")).toBe(await value.getAttribute("id"));
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  expect(await query.inputValue()).toBe("action:invoice.update ");
  await page.keyboard.type("actor_id:u_1");
  await page.keyboard.press("Enter");
  await expect.poll(() => rows(viewer).count()).toBe(1);
  const earliest = daysAgo(30);
  await viewer.getByRole("combobox", { name: "Time range" }).selectOption("Last 30 days");
  await expect.poll(() => new URL(page.url()).searchParams.size).toBe(3);
  const from = new URL(page.url()).searchParams.get("annals_occurred_from") ?? "";
  expect([earliest, daysAgo(30)]).toContain(from);
  await page.reload();
  await viewer.getByText("The loaded event is verified").waitFor();
  await query.fill("action:none.such");
  await page.keyboard.press("Enter");
  await viewer.getByText("No event matches these filters.").waitFor();
  await viewer.getByRole("button", { name: "Clear" }).click();
  await expect.poll(() => rows(viewer).count()).toBeGreaterThan(5);
  expect(new URL(page.url()).search).toBe("");
});

/** The beginning of a minute. */
function daysAgo(days: number): string {
  const time = new Date(Date.now() - days * 86_400_000);
  time.setUTCSeconds(0, 0);
  return time.toISOString();
}

test("after 20 empty pages a search waits for its reader, and then goes on", async () => {
  const { viewer, page } = await show({ attributes: "refresh-seconds='0'" });
  await viewer.getByText("All 100 loaded events are verified").waitFor();
  let asked = 0;
  // As of a chain so long that its pages are empty.
  await page.route(/widget\/events\?/, async (route) => {
    const response = await route.fetch();
    asked += 1;
    const isLast = asked > 25;
    const end = { has_more: !isLast, next_cursor: isLast ? null : `c${asked}` };
    if (asked > 1) expect(route.request().url()).toContain(`cursor=c${asked - 1}`);
    await route.fulfill({ response, status: 200, json: { data: [], proofs: [], ...end } });
  });
  await queryOf(viewer).fill("action:none.such");
  await queryOf(viewer).press("Enter");
  await viewer.getByRole("button", { name: "Search older events" }).waitFor();
  expect(asked).toBe(20);
  await expectAccessible(page);
  await viewer.getByRole("button", { name: "Search older events" }).click();
  await viewer.getByText("No event matches these filters.").waitFor();
  expect(asked).toBe(26);
});

test("keys alone read all pages to the end, and newer events move nothing that is read", async () => {
  const { viewer, page } = await show({ attributes: "refresh-seconds='1'" });
  await viewer.getByText("All 100 loaded events are verified").waitFor();
  await page.keyboard.press("Tab");
  for (
    let tabs = 0;
    tabs < 9 && !(await grid(viewer).evaluate((it) => it.matches(":focus")));
    tabs += 1
  )
    await page.keyboard.press("Tab");
  await expect
    .poll(async () => {
      await page.keyboard.press("End");
      return viewer.getByText("All 320 loaded events are verified").count();
    })
    .toBe(1);
  await page.keyboard.press("End");
  const active = () => viewer.locator(".active").innerText();
  await expect.poll(active).toContain("u_1");
  expect(await grid(viewer).getAttribute("aria-rowcount")).toBe("321");
  await page.keyboard.press("PageUp");
  const actor = async () => /u_\d+/.exec(await active())?.[0];
  const read = await actor();
  const top = async () => (await viewer.locator(".active").boundingBox())?.y;
  const place = await top();
  await client.post("/v1/events", { ...INVOICE, action: "invoice.pay" });
  await viewer.getByRole("button", { name: "1 new" }).waitFor();
  expect(await actor()).toBe(read);
  expect(Math.abs(((await top()) ?? 0) - (place ?? 0))).toBeLessThan(1);
  await viewer.getByRole("button", { name: "1 new" }).click();
  await expect.poll(active).toContain("invoice.pay");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const detail = viewer.getByRole("region", { name: "Details of the event" });
  await detail.getByRole("heading", { name: "invoice.update" }).waitFor();
  expect(await detail.evaluate((it) => it.matches(":focus"))).toBe(true);
  await page.keyboard.press("Escape");
  await expect.poll(() => grid(viewer).evaluate((it) => it.matches(":focus"))).toBe(true);
});

describe("a page", () => {
  test("in German that reads from right to left, dark, on a narrow screen", async () => {
    const { viewer, page } = await show({
      lang: "de",
      attributes: "dir='rtl' theme='dark'",
      page: { viewport: { width: 360, height: 740 } },
    });
    await viewer.getByText("Alle 100 geladenen Ereignisse sind verifiziert").waitFor();
    const [actor, target] = await Promise.all(
      [".body [part=actor]", ".body [part=target]"].map((part) =>
        viewer.locator(part).first().boundingBox(),
      ),
    );
    expect(actor?.x ?? 0).toBeGreaterThan(target?.x ?? 0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      360,
    );
    await rows(viewer).first().click();
    await viewer.getByRole("region", { name: "Ereignisdetails" }).waitFor();
    await expectAccessible(page);
  });

  test("replaces texts and colours, and its parts", async () => {
    const { viewer } = await show({
      script:
        "viewer.messages = { live: 'Follow' }; viewer.style.setProperty('--annals-verified', 'rgb(1, 2, 3)');",
    });
    await viewer.getByRole("button", { name: "Follow" }).waitFor();
    const badge = viewer.locator("[part~=badge-verified]").first();
    await badge.waitFor();
    expect(await badge.evaluate((it) => getComputedStyle(it).color)).toBe("rgb(1, 2, 3)");
  });
});

describe("a token", () => {
  test("that ends soon is told to the page, and its provider gives the next", async () => {
    const { client: other } = await newClient(stack);
    const { viewer, page } = await show({
      client: other,
      attributes: `expires-at="${new Date(Date.now() + 50_000).toISOString()}"`,
      script: `window.told = []; window.given = 0;
        viewer.addEventListener("annals-token-expiring", ({ detail }) => window.told.push(detail.hasExpired));
        viewer.tokenProvider = async () => { window.given += 1; return { token: viewer.getAttribute("token") }; };`,
    });
    await viewer.getByText("There are no events yet.").waitFor();
    const told = () =>
      page.evaluate(() => [Reflect.get(window, "told"), Reflect.get(window, "given")]);
    await expect.poll(told).toEqual([[false], 1]);
    await expectAccessible(page);
  });

  test("that was revoked ends the reading with a sentence, until the page has another one", async () => {
    const { viewer, page, tokenId } = await show({
      attributes: "refresh-seconds='1'",
      page: { expected: /401/ },
      script:
        "window.told = []; viewer.addEventListener('annals-token-expiring', ({ detail }) => window.told.push(detail.hasExpired));",
    });
    await viewer.getByText("All 100 loaded events are verified").waitFor();
    expect((await client.delete(`/v1/widget-tokens/${tokenId}`)).status).toBe(204);
    await viewer.getByText("Your session has expired. Reload this page.").waitFor();
    expect(await page.evaluate(() => Reflect.get(window, "told"))).toEqual([true]);
    await expectAccessible(page);
    const origins = [new URL(page.url()).origin];
    const next = (await client.post("/v1/widget-tokens", { origins })).body.data.token;
    await viewer.evaluate((it, token) => Reflect.set(it, "token", token), next);
    await viewer.getByText("Your session has expired.").waitFor({ state: "detached" });
  });

  test("of other origins reads nothing from this page", async () => {
    const { viewer, page } = await show({
      isAllowed: false,
      page: { expected: /CORS|ERR_FAILED|40[13]/ },
    });
    await viewer.getByRole("alert").waitFor();
    expect(await rows(viewer).count()).toBe(0);
    await expectAccessible(page);
  });
});
