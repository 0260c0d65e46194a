// Guarantee: a person can choose the columns of the table of events and their order with the keyboard alone.
// The address shows them to anyone who opens it; a saved search and the browser keep them. Names in an
// address that are no columns are left out. Cells of a part that the widget token hides say so. Columns that
// do not fit can be scrolled to.

import { newClient } from "@annals/testing";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openBrowser } from "./chromium.ts";
import { expectUsable, openDashboard, tabTo, visit } from "./dashboard.ts";
import { embed } from "./embed.ts";

const stack = inject("stack");
const { baseUrl } = stack;
const EVENT = {
  action: "invoice.create",
  actor: { id: "u_1", meta: { teams: ["billing", "sales"] } },
  context: { ip: "203.0.113.4" },
  metadata: { plan: "<b>pro</b>", outcome: "failure", "a.b": { c: 7 } },
};

let browser: Browser;
let account: Awaited<ReturnType<typeof newClient>>;
beforeAll(async () => {
  browser = await openBrowser();
  account = await newClient(stack);
  await account.client.post("/v1/events", EVENT);
});
afterAll(() => browser.close());

/** The heads of the columns that are shown, without the zone of times and the mark of the proof. */
const headsOf = async (within: Page | Locator): Promise<string[]> => {
  const grid = within.getByRole("grid");
  const heads = await grid.getByRole("columnheader").allInnerTexts();
  return heads.map((head) => head.replace(/ \(.*\)$/, "")).slice(0, -1);
};
const cellsOf = (within: Page | Locator) =>
  within.locator("#row-0").getByRole("gridcell").allInnerTexts();
const DEFAULT = ["Time", "Action", "Actor", "Target", "From"];
const addressed = (page: Page) =>
  new URLSearchParams(new URL(page.url()).hash.split("?")[1]).get("columns");

test("keys alone choose columns and their order, which the link, the search and the browser have", async () => {
  const { key } = account;
  const page = await openDashboard(browser, { baseUrl, key }, "events");
  await page.getByText("The loaded event is verified").waitFor();
  expect(await headsOf(page)).toEqual(DEFAULT);
  const { keyboard } = page;
  await tabTo(page, /^Columns$/);
  await keyboard.press("Enter");
  await tabTo(page, /^Target$/);
  await keyboard.press("Space");
  await expect.poll(() => headsOf(page)).toEqual(["Time", "Action", "Actor", "From"]);
  await tabTo(page, /^Outcome$/, "Shift+Tab");
  await keyboard.press("Space");
  await tabTo(page, /^Path of a value$/);
  await keyboard.type("metadata.plan");
  await keyboard.press("Enter");
  await page.getByText("metadata.plan is shown.").waitFor();
  await tabTo(page, /^Move Outcome up$/, "Shift+Tab");
  for (let up = 0; up < 3; up += 1) await keyboard.press("Enter");
  await page.getByText("Outcome is column 2 of 6.").waitFor();
  const chosen = ["Time", "Outcome", "Action", "Actor", "From", "metadata.plan"];
  expect(await headsOf(page)).toEqual(chosen);
  expect((await cellsOf(page)).slice(1, -1)).toEqual([
    "✗ failure",
    "invoice.create",
    "u_1",
    "203.0.113.4",
    "<b>pro</b>",
  ]);
  await expectUsable(page);
  await keyboard.press("Escape");
  expect(await page.evaluate(() => document.activeElement?.textContent?.trim())).toBe("Columns");

  await page.getByRole("button", { name: "Save search" }).click();
  await page.getByLabel("Name of the search").fill("With plans");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("The search is saved.").waitFor();
  const [search] = (await account.client.get("/v1/searches")).body.data;
  expect(search.view.columns.join(" ")).toBe(addressed(page));

  await visit(page, "usage");
  await page.goBack();
  await page.getByText("The loaded event is verified").waitFor();
  expect(await headsOf(page)).toEqual(chosen);
  await visit(page, "events");
  await page.getByText("The loaded event is verified").waitFor();
  expect([addressed(page), await headsOf(page)]).toEqual([null, chosen]);

  const other = await openDashboard(browser, { baseUrl, key }, "events");
  await other.getByText("The loaded event is verified").waitFor();
  expect(await headsOf(other)).toEqual(DEFAULT);
  await other.getByRole("link", { name: "With plans" }).click();
  await expect.poll(() => headsOf(other)).toEqual(chosen);
  await other.goBack();
  await expect.poll(() => headsOf(other)).toEqual(DEFAULT);
});

test("what is no column in an address is left out", async () => {
  const { key } = account;
  const hostile = encodeURIComponent("<img src=x> hash __proto__ context.");
  const page = await openDashboard(browser, { baseUrl, key }, `events?columns=${hostile}`);
  await page.getByText("The loaded event is verified").waitFor();
  expect(await headsOf(page)).toEqual(DEFAULT);
  await visit(page, `events?columns=${hostile}%20actor.meta.teams%20metadata.a.b.c`);
  await expect.poll(() => headsOf(page)).toEqual(["actor.meta.teams", "metadata.a.b.c"]);
  expect((await cellsOf(page)).slice(0, 2)).toEqual(["billing, sales", "7"]);
});

test("a part that the token hides is hidden in its cells, and a card is as it was", async () => {
  const { viewer, page } = await embed(browser, {
    baseUrl,
    client: account.client,
    token: { parts: ["context"] },
    attributes: `columns="metadata.plan outcome action context.ip context.none"`,
    page: { viewport: { width: 1_440, height: 900 }, expected: /403/ },
  });
  await viewer.getByText("The loaded event is verified").waitFor();
  expect((await cellsOf(viewer)).slice(0, -1)).toEqual([
    "hidden",
    "hidden",
    "invoice.create",
    "203.0.113.4",
    "",
  ]);
  await page.setViewportSize({ width: 500, height: 900 });
  await expect.poll(() => headsOf(viewer)).toEqual(["Action", "From", "Time", "Actor", "Target"]);
});

test("more columns than fit are scrolled to, below their heads", async () => {
  const all = "occurred_at received_at created_at sequence_number id action actor target";
  const { viewer, page } = await embed(browser, {
    baseUrl,
    client: account.client,
    attributes: `columns="${all}"`,
    page: { viewport: { width: 1_000, height: 900 } },
  });
  await viewer.getByText("The loaded event is verified").waitFor();
  const grid = viewer.getByRole("grid");
  await grid.focus();
  await expect
    .poll(async () => {
      await page.keyboard.press("ArrowRight");
      return grid.evaluate((it) => Math.abs(it.scrollLeft + it.clientWidth - it.scrollWidth) <= 1);
    })
    .toBe(true);
  const [head, headCell, cell] = await Promise.all([
    viewer.locator(".head").boundingBox(),
    viewer.getByRole("columnheader", { name: "Target" }).boundingBox(),
    viewer.locator("#row-0 [part=target]").boundingBox(),
  ]);
  expect(headCell?.x).toBe(cell?.x);
  const ends = [head, await viewer.locator("#row-0").boundingBox()].map(
    (box) => (box?.x ?? 0) + (box?.width ?? 0),
  );
  expect(ends[0]).toBe(ends[1]);
});
