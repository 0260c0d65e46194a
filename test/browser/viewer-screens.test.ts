// Guarantee: `<annals-viewer>` answers who did what, when, from where and with which outcome, on wide screens
// and on phones: an opened event leaves the table as it is, times are whole and of one zone, and a page can
// keep what is shown.

import { type HttpClient, newClient } from "@annals/testing";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { expectAccessible } from "./browser.ts";
import { openBrowser } from "./chromium.ts";
import { embed, type Embedding } from "./embed.ts";

const stack = inject("stack");
const { baseUrl } = stack;

const ZONE = "America/New_York";
const WIDE = { width: 1_440, height: 900 };
const COUNT = 40;

const EVENTS = Array.from({ length: COUNT }, (_, n) => ({
  action: n % 2 === 0 ? "user.login" : "report.quarterly.download.of_everything.there.is",
  actor: { id: `usr_${n}`, type: "user", meta: { name: `Person ${n}` } },
  context: { ip: "2001:db8:85a3:1234:5678:8a2e:370:7334" },
  metadata: { outcome: n % 2 === 0 ? "failure" : "success" },
  occurred_at: `2026-11-29T03:${10 + n}:13Z`,
}));
const NEWEST = {
  action: "user.role.change",
  actor: { id: "usr_ada", type: "user", meta: { name: "Ada Park" } },
  target: { id: "usr_ben", type: "user" },
  context: { ip: "203.0.113.9" },
  diff: {
    before: { role: "viewer", teams: ["ops"], lines: [{ id: "a", n: 1 }], same: 1 },
    after: { role: "admin", teams: ["ops", "finance"], lines: [{ id: "a", n: 2 }], same: 1 },
  },
  metadata: { outcome: "success" },
  occurred_at: "2026-11-29T03:59:13Z",
};

let browser: Browser;
let client: HttpClient;
beforeAll(async () => {
  browser = await openBrowser();
  ({ client } = await newClient(stack));
  const events = [...EVENTS, NEWEST];
  await client.post("/v1/events/batch", { events });
});
afterAll(() => browser.close());

async function show(more: Partial<Embedding> = {}) {
  const page = { viewport: WIDE, timezoneId: ZONE, ...more.page };
  const shown = await embed(browser, { baseUrl, client, ...more, page });
  await shown.viewer.getByText(`All ${COUNT + 1} loaded events are verified`).waitFor();
  return shown;
}

const detailOf = (viewer: Locator) => viewer.getByRole("region", { name: "Details of the event" });
const open = (viewer: Locator, row: number) =>
  viewer.locator(`#row-${row}`).click({ position: { x: 60, y: 10 } });
const queryOf = (viewer: Locator) => viewer.getByRole("combobox", { name: /^Query/ });
const selected = (viewer: Locator) => viewer.locator("[aria-selected=true]");

/** Where the cells of the header and of a row are. */
const columns = (viewer: Locator) =>
  viewer.locator(".head .cell, #row-9 .cell").evaluateAll((cells) =>
    cells.map((cell) => {
      const { x, width, height } = cell.getBoundingClientRect();
      return [x, width, height];
    }),
  );

async function boxOf(viewer: Locator) {
  const box = await viewer.getByRole("grid").boundingBox();
  return { y: box?.y ?? 0, end: (box?.y ?? 0) + (box?.height ?? 0) };
}

test("an opened event leaves the columns as they are, and its row in sight", async () => {
  const { viewer, page } = await show();
  const before = await columns(viewer);
  await open(viewer, 9);
  await detailOf(viewer).waitFor();
  expect(await columns(viewer)).toEqual(before);
  for (let step = 9; step < 30; step += 1) await page.keyboard.press("ArrowDown");
  await expect.poll(() => selected(viewer).getAttribute("id")).toBe("row-30");
  const [row, grid] = await Promise.all([selected(viewer).boundingBox(), boxOf(viewer)]);
  expect(row?.y).toBeGreaterThan(grid.y);
  expect((row?.y ?? 0) + (row?.height ?? 0)).toBeLessThan(grid.end + 1);
  await page.keyboard.press("ArrowUp");
  await expect.poll(() => selected(viewer).getAttribute("id")).toBe("row-29");
  await page.keyboard.press("Escape");
  await detailOf(viewer).waitFor({ state: "detached" });
});

/** The contrast ratio of WCAG between two colours that the browser computed. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [one, other]
    .map((color) => {
      const [r = 0, g = 0, b = 0] = (color.match(/[\d.]+/g) ?? []).map((part) => {
        const value = Number(part) / (color.startsWith("color(") ? 1 : 255);
        return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    })
    .toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const colorOf = (it: Locator, name: string, pseudo?: string) =>
  it.evaluate(
    (element, [property, of]) => getComputedStyle(element, of).getPropertyValue(property as string),
    [name, pseudo],
  );

test.each(["light", "dark"] as const)(
  "what is selected and what can be typed in stands out: %s",
  async (theme) => {
    const { viewer } = await show({ attributes: `theme="${theme}"` });
    await open(viewer, 9);
    await viewer.locator("#row-5").hover({ position: { x: 60, y: 10 } });
    const background = await colorOf(viewer, "background-color");
    const mark = (row: number) =>
      colorOf(viewer.locator(`#row-${row}`), "background-color", "::before");
    expect(contrast(await mark(9), background)).toBeGreaterThanOrEqual(3);
    expect(await mark(5)).toBe("rgba(0, 0, 0, 0)");
    const border = await colorOf(queryOf(viewer), "border-top-color");
    expect(contrast(border, background)).toBeGreaterThanOrEqual(3);
  },
);

test.each([390, 720, 1_440])(
  "times are whole at %d pixels, and columns have their names",
  async (width) => {
    const { viewer, page } = await show({ page: { viewport: { width, height: 900 } } });
    const cut = await viewer.locator(".body time").evaluateAll(
      (times) =>
        times.filter((time) => {
          const cell = time.parentElement as HTMLElement;
          return cell.scrollWidth > cell.clientWidth || time.scrollWidth > time.clientWidth;
        }).length,
    );
    expect(await viewer.locator(".body time").count()).toBeGreaterThan(5);
    expect(cut).toBe(0);
    expect(await viewer.getByRole("grid").getByRole("columnheader").allTextContents()).toHaveLength(
      6,
    );
    await queryOf(viewer).fill("action:user.* -outcome:success");
    await queryOf(viewer).press("Enter");
    await viewer.getByText(`All ${COUNT / 2} loaded events are verified`).waitFor();
    const chip = viewer.getByRole("button", { name: "Remove -outcome:success" });
    expect(await chip.isVisible()).toBe(width === 390);
    const field = await queryOf(viewer).boundingBox();
    expect(field?.width).toBeGreaterThan(250);
    await expectAccessible(page);
  },
);

test("all times are of one zone, which is named and remembered", async () => {
  const { viewer, page } = await show();
  const time = viewer.locator("#row-0 time");
  const header = viewer.getByRole("grid").getByRole("columnheader").first();
  expect(await header.innerText()).toBe(`Time (${ZONE})`);
  expect(await time.innerText()).toMatch(/Nov 28, 2026, 10:59:13/);
  await viewer.getByLabel("Time zone").selectOption("utc");
  expect(await header.innerText()).toBe("Time (UTC)");
  await page.reload();
  await time.waitFor();
  expect(await time.innerText()).toMatch(/Nov 29, 2026, 3:59:13/);
  await open(viewer, 0);
  for (const name of ["Occurred", "Received", "Recorded"])
    expect(await detailOf(viewer).getByRole("row", { name }).innerText()).toContain("UTC");
  await viewer.getByRole("combobox", { name: "Time range" }).selectOption("Other times…");
  await viewer.getByLabel("From (UTC)").fill("2026-11-29T03:59:00");
  await viewer.getByRole("button", { name: "Apply" }).click();
  await viewer.getByText("The loaded event is verified").waitFor();
});

test("a row and its event say who, what, with which outcome and from where", async () => {
  const { viewer } = await show();
  expect(await viewer.locator("#row-0").innerText()).toMatch(
    /user\.role\.change\s+success\s+Ada Park\s+usr_ada · user\s+usr_ben\s+user\s+203\.0\.113\.9/,
  );
  expect(await viewer.locator("#row-2").innerText()).toContain("✗ failure");
  await open(viewer, 0);
  const detail = detailOf(viewer);
  expect(await detail.locator(".sentence").innerText()).toMatch(
    /Ada Park.*user\.role\.change.*usr_ben.*success.*203\.0\.113\.9/s,
  );
  expect(await detail.getByRole("heading", { level: 3 }).allInnerTexts()).toEqual([
    "Changes (3 of 5)",
    "From",
    "Details",
    "Actor",
    "Target",
    "Event",
    "Proof",
  ]);
  const changed = detail.getByRole("table", { name: "Changes" }).locator("tbody tr");
  const texts = async () =>
    (await changed.allInnerTexts()).map((row) => row.replaceAll(/\s+/g, " ").trim());
  expect(await texts()).toEqual([
    "lines changed",
    "a changed",
    "n 1 2 changed",
    "role viewer admin changed",
    "teams + finance changed",
  ]);
  await detail.getByRole("button", { name: "Show all (7)" }).click();
  expect(await texts()).toContain("same 1 1 unchanged");
  expect(await detail.locator("dt", { hasText: /^Hash$/ }).count()).toBe(1);
  await open(viewer, 1);
  await expect.poll(() => detail.getByRole("heading", { name: "Target" }).count()).toBe(0);
  await detail.getByRole("button", { name: "Filter: ID" }).click();
  await viewer.getByText("The loaded event is verified").waitFor();
  expect(await queryOf(viewer).inputValue()).toBe("actor_id:usr_39");
});

const hrefOf = (page: Page) => new URL(page.url()).searchParams.get("annals_event");

test("the address keeps the opened event, and Back closes it", async () => {
  const { viewer, page } = await show({ attributes: "sync-url" });
  await open(viewer, 3);
  await detailOf(viewer).getByText("Person 37", { exact: true }).first().waitFor();
  expect(hrefOf(page)).toMatch(/^evt_/);
  await page.reload();
  await detailOf(viewer).getByText("Person 37", { exact: true }).first().waitFor();
  await detailOf(viewer).getByText("links to the event before it").waitFor();
  await page.goBack();
  await detailOf(viewer).waitFor({ state: "detached" });
  expect(hrefOf(page)).toBeNull();
  await open(viewer, 3);
  await page.keyboard.press("Escape");
  await expect.poll(() => hrefOf(page)).toBeNull();
});

test("a page is told what the reader shows, and shows it again", async () => {
  const script =
    "window.told = []; viewer.addEventListener('annals-state', ({ detail }) => window.told.push(detail));";
  const { viewer, page } = await show({ script });
  const told = () =>
    page.evaluate(() => (Reflect.get(window, "told") as { openEvent: string }[]).at(-1));
  await open(viewer, 3);
  await expect.poll(told).toMatchObject({ filter: {}, openEvent: /^evt_/, zone: "local" });
  const { openEvent } = (await told()) ?? { openEvent: "" };
  await viewer.getByLabel("Time zone").selectOption("utc");
  await page.keyboard.press("Escape");
  await expect.poll(told).toEqual({ filter: {}, openEvent: "", zone: "utc" });
  // A filter that the event does not match: it is asked for by its id.
  await viewer.evaluate(
    (it, id) => Object.assign(it, { filter: { action: "none" }, openEvent: id }),
    openEvent,
  );
  await detailOf(viewer).getByText("✓ Verified").waitFor();
  await viewer.evaluate((it) => Object.assign(it, { openEvent: "" }));
  await viewer.getByRole("button", { name: "Show all events" }).click();
  await expect.poll(told).toEqual({ filter: {}, openEvent: "", zone: "utc" });
});

test("an event that does not exist is said, where it would be", async () => {
  const { viewer } = await show({
    attributes: "open-event='evt_000000000000000000000000'",
    page: { expected: /404/ },
  });
  const said = detailOf(viewer).getByText("This event does not exist, or you may not see it.");
  await said.waitFor();
  expect(await selected(viewer).count()).toBe(0);
});

test("the summary opens what is proven and what is not; what is not found has a way on", async () => {
  const { viewer, page } = await show();
  await viewer.getByText(`All ${COUNT + 1} loaded events are verified`).click();
  await viewer.getByText(/^This does not prove that no event is missing/).waitFor();
  await expectAccessible(page);
  await viewer.evaluate((it) => Reflect.set(it, "filter", { action: "none" }));
  const empty = viewer.getByText("No event matches these filters.");
  await empty.waitFor();
  const [said, whole] = await Promise.all([empty, viewer].map((each) => each.boundingBox()));
  expect(said?.y).toBeLessThan((whole?.y ?? 0) + (whole?.height ?? 0) * 0.7);
  await viewer.getByRole("button", { name: "Show all events" }).click();
  await viewer.getByText(`All ${COUNT + 1} loaded events are verified`).waitFor();
});
