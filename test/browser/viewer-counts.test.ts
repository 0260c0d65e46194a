// Guarantee: `<annals-viewer>` counts what its list shows, over time and by value. Bars narrow the list to
// their time, the last one included, with keys and with a pointer. A service without counts, or a token that
// may not count, leaves the list as it is. A reader of the newest events gets newer ones soon, finds events
// at other times, and saves what matches.

import { type HttpClient, newClient } from "@annals/testing";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { expectAccessible } from "./browser.ts";
import { openBrowser } from "./chromium.ts";
import { embed, type Embedding } from "./embed.ts";
import { accountWith } from "./events.ts";

const stack = inject("stack");
const { baseUrl } = stack;

const DAYS = 10;
const TOTAL = 55;
/** The n-th day has n events, of which every third one failed. */
const EVENTS = Array.from({ length: DAYS }, (_, day) =>
  Array.from({ length: day + 1 }, (__, n) => ({
    action: "user.login",
    actor: { id: n % 2 === 0 ? "u_1" : "u_2", type: "user" },
    metadata: { outcome: n % 3 === 2 ? "failure" : "success" },
    occurred_at: `2026-11-${String(day + 1).padStart(2, "0")}T12:00:${10 + n}Z`,
  })),
).flat();
const failed = EVENTS.filter(({ metadata }) => metadata.outcome === "failure").length;

let browser: Browser;
let client: HttpClient;
beforeAll(async () => {
  browser = await openBrowser();
  ({ client } = await newClient(stack));
  await client.post("/v1/events/batch", { events: EVENTS });
});
afterAll(() => browser.close());

async function show(more: Partial<Embedding> = {}) {
  const page = { viewport: { width: 1_440, height: 900 }, timezoneId: "UTC", ...more.page };
  const attributes = `sync-url refresh-seconds="0" ${more.attributes ?? ""}`;
  const shown = await embed(browser, { baseUrl, client, ...more, attributes, page });
  await shown.viewer.getByText(/loaded events are verified/).waitFor();
  return shown;
}

const queryOf = (viewer: Locator) => viewer.getByRole("combobox", { name: /^Query/ });
const bars = (viewer: Locator) =>
  viewer.getByRole("group", { name: "Events over time" }).getByRole("button");
const barOf = (viewer: Locator, day: number) =>
  viewer.getByRole("button", { name: new RegExp(`^Nov ${day}, 2026\\.`) });
const inAddress = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

test("bars say the events and the failures of each day, as a table too", async () => {
  const { viewer, page } = await show();
  await viewer.getByText(`${TOTAL} events`).waitFor();
  await viewer.locator(".legend .failures").waitFor();
  expect(await bars(viewer).count()).toBe(DAYS);
  const names = bars(viewer).evaluateAll((each) => each.map((bar) => bar.ariaLabel));
  expect((await names).at(-1)).toBe("Nov 10, 2026. Events: 10, failures: 3");
  expect(await viewer.locator(".bars tbody tr").count()).toBe(DAYS);
  expect(await viewer.locator(".count").innerText()).toMatch(/^55 events · Nov 1\s–\s10, 2026$/);
  await expectAccessible(page);
});

test("with the filter of a token, bars are of days, too", async () => {
  const { viewer } = await show({ token: { filter: { action: "user.*" } } });
  await viewer.locator(".legend .failures").waitFor();
  expect(await bars(viewer).count()).toBe(DAYS);
  expect(await viewer.locator(".count").innerText()).toMatch(/^55 events · Nov 1\s–\s10, 2026$/);
});

test("keys narrow the list to whole bars, the last one included", async () => {
  const { viewer, page } = await show();
  await barOf(viewer, 10).focus();
  await page.keyboard.press("ArrowLeft");
  for (let more = 0; more < 2; more += 1) await page.keyboard.press("Shift+ArrowLeft");
  expect(await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.id)).toBe(
    "bar-6",
  );
  await page.keyboard.press("Enter");
  await viewer.getByText(`All ${7 + 8 + 9} loaded events are verified`).waitFor();
  await viewer.getByText("24 events").waitFor();
  expect(inAddress(page)).toEqual({
    annals_occurred_from: "2026-11-07T00:00:00.000Z",
    annals_occurred_to: "2026-11-10T00:00:00.000Z",
  });
});

test("a drag narrows the list to the bars that it touches, from its first to its last", async () => {
  const { viewer, page } = await show();
  const [from, to] = await Promise.all([2, 5].map((day) => barOf(viewer, day).boundingBox()));
  if (!from || !to) throw new Error("no bars");
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(to.x + to.width / 3, to.y + to.height / 2, { steps: 3 });
  await page.mouse.up();
  await viewer.getByText(`All ${2 + 3 + 4 + 5} loaded events are verified`).waitFor();
  expect(inAddress(page)).toEqual({
    annals_occurred_from: "2026-11-02T00:00:00.000Z",
    annals_occurred_to: "2026-11-06T00:00:00.000Z",
  });
});

test("frequent values are counted, chosen with a click and excluded with Alt or a button", async () => {
  const { viewer, page } = await show({ attributes: `facets="outcome actor_id"` });
  const values = viewer.getByRole("region", { name: "Frequent values" });
  const success = values.getByRole("button", { name: `success ${TOTAL - failed}` });
  await success.waitFor();
  await expectAccessible(page);
  await success.click();
  await viewer.getByText(`All ${TOTAL - failed} loaded events are verified`).waitFor();
  expect(await queryOf(viewer).inputValue()).toBe("outcome:success");
  expect(await success.getAttribute("aria-pressed")).toBe("true");
  await success.click();
  await viewer.getByText(`All ${TOTAL} loaded events are verified`).waitFor();
  await values.getByRole("button", { name: /^u_1 \d/ }).click({ modifiers: ["Alt"] });
  await expect.poll(() => queryOf(viewer).inputValue()).toBe("-actor_id:u_1");
  await values.getByRole("button", { name: "Exclude failure" }).click();
  await expect.poll(() => queryOf(viewer).inputValue()).toBe("-actor_id:u_1 -outcome:failure");
  const left = EVENTS.filter((it) => it.actor.id === "u_2" && it.metadata.outcome === "success");
  await viewer.getByText(`${left.length} events`, { exact: true }).waitFor();
});

test("values are completed from all events", async () => {
  const { viewer, page } = await show();
  await queryOf(viewer).pressSequentially("actor_id:u_");
  const offered = viewer.getByRole("listbox").getByRole("option");
  await offered.first().waitFor();
  expect(await offered.allInnerTexts()).toEqual(["u_1", "u_2"]);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  expect(await queryOf(viewer).inputValue()).toBe("actor_id:u_2 ");
});

test("bars stand out from what is behind them", async () => {
  for (const theme of ["light", "dark"]) {
    const { viewer } = await show({ attributes: `theme="${theme}"` });
    await viewer.locator(".legend .failures").waitFor();
    const [fill, red, behind] = await viewer.evaluate((it) => {
      const fillOf = (kind: string) => {
        const found = it.shadowRoot?.querySelector(`svg .${kind}`);
        return found ? getComputedStyle(found).fill : "";
      };
      return [fillOf("all"), fillOf("failures"), getComputedStyle(it).backgroundColor];
    });
    for (const color of [fill, red])
      expect(contrast(color ?? "", behind ?? ""), `${theme} ${color}`).toBeGreaterThanOrEqual(3);
  }
});

/** The contrast ratio of WCAG between two colours as `rgb(…)`. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [one, other]
    .map((color) => {
      const [r = 0, g = 0, b = 0] = (color.match(/[\d.]+/g) ?? []).map((part) => {
        const value = Number(part) / 255;
        return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    })
    .toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

test("a service without counts shows its events, and is asked for counts once", async () => {
  const { viewer, page } = await show({
    attributes: `facets="outcome"`,
    page: { expected: /404/ },
  });
  await viewer.locator(".legend .failures").waitFor();
  await viewer.getByRole("region", { name: "Frequent values" }).waitFor();
  const asked: string[] = [];
  await page.route(/events\/(histogram|facets)/, (route) => {
    if (route.request().method() === "GET") asked.push(new URL(route.request().url()).pathname);
    const headers = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
    return route.fulfill({ status: 404, headers, json: {} });
  });
  await page.reload();
  await viewer.getByText(`All ${TOTAL} loaded events are verified`).waitFor();
  await expect.poll(() => asked.length).toBe(2);
  await viewer.evaluate((it) => Reflect.set(it, "filter", { actor_id: "u_2" }));
  await viewer.getByText(/^All 25 loaded events/).waitFor();
  expect(asked.toSorted()).toEqual(["/v1/widget/events/facets", "/v1/widget/events/histogram"]);
  expect(await bars(viewer).count()).toBe(0);
});

test("a token that hides the outcome counts no failures, and no values of it", async () => {
  const { viewer } = await show({
    attributes: `facets="outcome"`,
    token: { parts: ["context"] },
    page: { expected: /403/ },
  });
  await viewer.getByText(`${TOTAL} events`).waitFor();
  expect(await barOf(viewer, 10).getAttribute("aria-label")).toBe("Nov 10, 2026. Events: 10");
  expect(await viewer.getByRole("region", { name: "Frequent values" }).count()).toBe(0);
});

test("no event in a time leads to the newest one of another time", async () => {
  const { viewer } = await show();
  await queryOf(viewer).fill("actor_id:u_2 occurred:2026-12-01..");
  await queryOf(viewer).press("Enter");
  await viewer.getByText(/^No event in this time\. The newest one is of Nov 10, 2026/).waitFor();
  await viewer.getByRole("button", { name: "All times" }).click();
  await viewer.getByText("All 25 loaded events are verified").waitFor();
  expect(await queryOf(viewer).inputValue()).toBe("actor_id:u_2");
});

async function saved(page: Page, viewer: Locator): Promise<{ sequence_number: number }[]> {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    viewer.getByRole("button", { name: "Download" }).click(),
  ]);
  const chunks = await file.createReadStream().then((stream) => stream.toArray());
  return JSON.parse(Buffer.concat(chunks).toString()).data;
}

test("a download has the newest 1,000 of what matches, and says whether that is all", async () => {
  const { client: other } = await accountWith(stack, 1_001);
  const { viewer, page } = await show({ client: other });
  const events = await saved(page, viewer);
  expect([events.length, events[0]?.sequence_number, events.at(-1)?.sequence_number]).toEqual([
    1_000, 1_001, 2,
  ]);
  await viewer.getByText(/^The newest 1,000 events were saved/).waitFor({ state: "attached" });
  await queryOf(viewer).fill("-actor_id:u_5");
  await queryOf(viewer).press("Enter");
  await viewer.getByText("1,000 events").waitFor();
  expect(await saved(page, viewer)).toHaveLength(1_000);
  await viewer.getByText("Events saved: 1,000").waitFor({ state: "attached" });
});

test("newer events are looked for often at the top, else less often, and are announced", async () => {
  const { client: other } = await accountWith(stack, 60);
  const { viewer, page } = await embed(browser, { baseUrl, client: other, hasClock: true });
  await viewer.getByText("All 60 loaded events are verified").waitFor();
  await page.clock.pauseAt(Date.now() + 60_000);
  const polls: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "GET" && request.url().includes("after_sequence"))
      polls.push(request.url());
  });
  await other.post("/v1/events", { action: "user.logout" });
  await page.clock.runFor(2_000);
  await viewer.locator("#row-0").getByText("user.logout").waitFor();
  await viewer.getByRole("grid").focus();
  await page.keyboard.press("End");
  polls.length = 0;
  await other.post("/v1/events", { action: "user.logout" });
  await page.clock.runFor(10_000);
  await viewer.getByRole("button", { name: "1 new" }).waitFor();
  expect(polls).toHaveLength(1);
});

test("count and bars follow new events without a request, and frequent values soon", async () => {
  const { client: other } = await accountWith(stack, 3);
  const page = { viewport: { width: 1_440, height: 900 }, timezoneId: "UTC" };
  const attributes = `facets="action"`;
  const live = await embed(browser, { baseUrl, client: other, hasClock: true, attributes, page });
  await live.viewer.getByText("3 events", { exact: true }).waitFor();
  await live.viewer
    .getByRole("button", { name: /failures: 0/ })
    .first()
    .waitFor();
  await live.viewer.getByRole("button", { name: /^user.login \d/ }).waitFor();
  const polled = () =>
    live.page.waitForResponse(
      (it) => it.url().includes("after_sequence") && it.request().method() === "GET",
    );
  await Promise.all([polled(), live.page.clock.pauseAt(Date.now() + 60_000)]);
  const asked: string[] = [];
  live.page.on("request", (request) => {
    if (request.method() === "GET")
      asked.push(new URL(request.url()).pathname.split("/").at(-1) ?? "");
  });
  const logouts = live.viewer.getByRole("button", { name: /^user.logout \d/ });
  for (let n = 1; n <= 2; n += 1) {
    await other.post("/v1/events", { action: "user.logout", metadata: { outcome: "failure" } });
    await Promise.all([polled(), live.page.clock.runFor(2_000)]);
    await live.viewer.getByText(`${3 + n} events`, { exact: true }).waitFor();
    await logouts.getByText("1").waitFor();
  }
  expect([asked.includes("histogram"), asked.filter((path) => path === "facets")]).toEqual([
    false,
    ["facets"],
  ]);
  await live.page.clock.runFor(30_000);
  await logouts.getByText("2").waitFor();

  const reloaded = await show({ client: other });
  await reloaded.viewer.getByText("5 events", { exact: true }).waitFor();
  await reloaded.viewer.locator(".legend .failures").waitFor();
  const shown = (viewer: Locator) =>
    Promise.all([
      viewer.locator(".count").innerText(),
      bars(viewer).evaluateAll((each) => each.map((bar) => bar.ariaLabel)),
    ]);
  expect(await shown(live.viewer)).toEqual(await shown(reloaded.viewer));
});
