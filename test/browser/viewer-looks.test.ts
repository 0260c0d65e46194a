// Guarantee: `<annals-viewer>` can be used by people who see and point differently: in small windows and at
// 200 % zoom nothing is cut off or covered, what is no text has a contrast of 3:1, every stop of Tab is seen,
// forced colours leave every state in sight, and nothing moves for who asked for less motion.

import { type HttpClient, newClient } from "@annals/testing";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { expectAccessible } from "./browser.ts";
import { openBrowser } from "./chromium.ts";
import { embed, type Embedding } from "./embed.ts";
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

const COUNT = 30;
/** A mark of a few pixels is no longer seen. */
const SEEN_PIXELS = 40;
/** The part of a row that the opened event does not cover. */
const LEFT_PX = 200;

const EVENTS = Array.from({ length: COUNT }, (_, n) => ({
  action: n % 3 === 0 ? "user.login" : "report.quarterly.download.of_everything.there.is",
  actor: { id: `usr_${n}`, type: "user", meta: { name: `Person ${n} of a long family name` } },
  target: { id: `report_${n}`, type: "report" },
  context: { ip: "2001:db8:85a3:1234:5678:8a2e:370:7334" },
  metadata: { outcome: n % 3 === 0 ? "failure" : "success" },
  diff: { before: { role: "viewer", teams: 1 }, after: { role: "admin", teams: 1 } },
  occurred_at: `2026-11-${10 + (n % 10)}T03:11:13Z`,
}));

let browser: Browser;
let client: HttpClient;
beforeAll(async () => {
  browser = await openBrowser();
  ({ client } = await newClient(stack));
  await client.post("/v1/events/batch", { events: EVENTS });
});
afterAll(() => browser.close());

async function show(page: NonNullable<Embedding["page"]>, attributes = "") {
  const shown = await embed(browser, {
    baseUrl,
    client,
    attributes: `refresh-seconds="0" facets="outcome action" ${attributes}`,
    page: { viewport: WINDOWS[0], timezoneId: "America/New_York", ...page },
  });
  await shown.viewer.getByText(`All ${COUNT} loaded events are verified`).waitFor();
  await shown.viewer.locator(".legend .failures").waitFor();
  return shown;
}

const detailOf = (viewer: Locator) => viewer.getByRole("region", { name: "Details of the event" });
const queryOf = (viewer: Locator) => viewer.getByRole("combobox", { name: /^Query/ });

async function open(viewer: Locator): Promise<void> {
  await viewer.locator("#row-1").click({ position: { x: 60, y: 10 } });
  await detailOf(viewer).getByRole("table", { name: "Changes" }).waitFor();
}

/** Rows of the list that are in sight as a whole. */
const wholeRows = (viewer: Locator) =>
  viewer.evaluate((it) => {
    const list = it.shadowRoot?.querySelector(".grid")?.getBoundingClientRect();
    const rows = [...(it.shadowRoot?.querySelectorAll(".body .row") ?? [])];
    return rows.filter((row) => row.getBoundingClientRect().bottom <= (list?.bottom ?? 0)).length;
  });

test.each(WINDOWS)("all is whole and reached at $width × $height", async (viewport) => {
  const { viewer, page } = await show({ viewport });
  await expectWhole(page, "the list");
  expect(await wholeRows(viewer)).toBeGreaterThanOrEqual(2);
  const range = viewer.getByRole("combobox", { name: "Time range" });
  await range.selectOption("Other times…");
  await queryOf(viewer).fill("outcome:failure");
  await queryOf(viewer).press("Enter");
  await viewer.getByText(`All ${COUNT / 3} loaded events are verified`).waitFor();
  await expectWhole(page, "the filtered list");
  await open(viewer);
  await expectWhole(page, "the opened event");
  await expectAccessible(page);
});

test.each(["light", "dark"] as const)("what is no text stands out: %s", async (colorScheme) => {
  const { viewer, page } = await show({ colorScheme });
  await expectDistinct(page, "the list");
  expect(await expectFocusSeen(page, "the list")).toBeGreaterThan(12);
  await failuresStandOut(viewer, page);
  const newest = viewer.locator("[id^=bar-][tabindex='0']");
  const chart = viewer.locator("svg[role=group]");
  const ring = await changedPixels(chart, () => newest.focus());
  expect(ring, "the ring of a bar").toBeGreaterThan(SEEN_PIXELS);
  await open(viewer);
  await expectDistinct(page, "the opened event");
  await expectFocusSeen(page, "the opened event");
});

/** A line of the background parts failures from all events: their colours are about as light. */
async function failuresStandOut(viewer: Locator, page: Page): Promise<void> {
  const failures = viewer.locator("rect.failures").first();
  const [edge, behind] = await Promise.all([
    failures.evaluate((it) => getComputedStyle(it).stroke),
    viewer.evaluate((it) => getComputedStyle(it).backgroundColor),
  ]);
  expect(edge, page.url()).toBe(behind);
}

test("forced colours leave every state in sight", async () => {
  const { viewer, page } = await show({ forcedColors: "active" });
  await open(viewer);
  await page.mouse.move(0, 0);
  const other = viewer.locator("#row-3[aria-selected=true]");
  const selected = await changedPixels(
    viewer.locator("#row-1"),
    async () => {
      for (const key of ["ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
      await other.waitFor();
    },
    LEFT_PX,
  );
  expect(selected, "the selected row").toBeGreaterThan(SEEN_PIXELS);
  await page.keyboard.press("Escape");
  const live = viewer.getByRole("button", { name: "Live" });
  const pressed = await changedPixels(live, async () => {
    await live.click();
    await queryOf(viewer).focus();
    await page.mouse.move(0, 0);
  });
  expect(pressed, "a switch").toBeGreaterThan(SEEN_PIXELS);
  const marks = await viewer
    .locator(".legend :is(.all, .failures)")
    .evaluateAll((all) => all.map((it) => getComputedStyle(it).color));
  expect(new Set(marks).size, "the legend").toBe(2);
  await queryOf(viewer).pressSequentially("act");
  const first = viewer.getByRole("option").first();
  await first.waitFor();
  const offered = await changedPixels(first, () => page.keyboard.press("ArrowDown"));
  expect(offered, "the chosen suggestion").toBeGreaterThan(SEEN_PIXELS);
});

test("nothing moves for who asked for less motion", async () => {
  const { viewer, page } = await show({ reducedMotion: "reduce" });
  await open(viewer);
  await expectStill(page);
});
