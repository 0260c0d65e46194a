// Guarantee: holds, erasures and the time that events are kept are set in the dashboard, with the keyboard
// alone. What cannot be brought back is asked first. What the service refuses is said beside the form. A
// long list is turned page by page.

import { newClient } from "@annals/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openBrowser } from "./chromium.ts";
import { expectUsable, openDashboard, tabTo, visit, WIDTHS } from "./dashboard.ts";

const stack = inject("stack");
const { baseUrl } = stack;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

async function expectUsableAtAll(page: Page): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await expectUsable(page);
  }
}

async function opened(at: string) {
  const { key, client } = await newClient(stack);
  const events = [{ actor: { id: "u_7" } }, { actor: { id: "u_8" } }];
  const { body } = await client.post("/v1/events/batch", {
    events: events.map((event) => ({ ...event, action: "invoice.created" })),
  });
  const page = await openDashboard(browser, { baseUrl, key }, at);
  const all = async () => (await client.get(`/v1/${at}`)).body.data;
  return { all, client, eventId: body.data[0].id as string, page };
}

test("a hold is placed on an actor's events, keeps them from erasure, and is released", async () => {
  const { all, client, eventId, page } = await opened("holds");
  await page.getByText("No active holds").waitFor();
  await tabTo(page, /^To number/);
  await page.keyboard.type("2");
  await tabTo(page, /^Actor id/);
  await page.keyboard.type("u_7");
  await page.keyboard.press("Enter");
  await page.getByText("The hold is placed").waitFor();
  const [hold] = await all();
  expect(hold).toMatchObject({ from_sequence: 1, to_sequence: 2, actor_id: "u_7" });
  expect(await page.getByRole("row", { name: /1 to 2/ }).innerText()).toContain("the account");
  await expectUsableAtAll(page);
  const erasure = { event_id: eventId, parts: ["actor"] };
  expect((await client.post("/v1/erasures", erasure)).status).toBe(422);

  await page.getByRole("heading", { level: 1 }).focus();
  await tabTo(page, /^Release hold_/);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  expect(await all()).toHaveLength(1);
  await page.keyboard.press("Enter");
  await tabTo(page, /^Release hold$/);
  await page.keyboard.press("Enter");
  await page.getByText("The hold is released").waitFor();
  expect(await all()).toEqual([]);
});

test("an erasure is asked first, waits, and is cancelled", async () => {
  const { all, page } = await opened("erasures");
  await page.getByText("No erasures yet").waitFor();
  await tabTo(page, /^Id/);
  await page.keyboard.type("u_7");
  await page.keyboard.press("Enter");
  await page.getByText("Choose at least one part").waitFor();
  await tabTo(page, /^context/);
  await page.keyboard.press("Space");
  await tabTo(page, /^Ask for the erasure/);
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/context of the events of the actor u_7/).waitFor();
  await page.keyboard.press("Escape");
  expect(await all()).toEqual([]);
  await page.keyboard.press("Enter");
  await dialog.waitFor();
  await tabTo(page, /^Erase$/);
  await page.keyboard.press("Enter");
  await page.getByText("The erasure is requested").waitFor();
  expect(await all()).toMatchObject([{ actor_id: "u_7", parts: ["context"], status: "pending" }]);
  await page.getByText(/It begins/).waitFor();
  await expectUsableAtAll(page);

  await page.getByRole("button", { name: /^Cancel era_/ }).click();
  await dialog.getByRole("button", { name: "Cancel the erasure" }).click();
  await page.getByText("The erasure is cancelled").waitFor();
  expect(await all()).toMatchObject([{ status: "cancelled" }]);
});

test("a shorter time is set, and the screen says from when; what the plan does not have is refused", async () => {
  const { all, page } = await opened("retention");
  await page.getByText("Events are kept permanently").waitFor();
  await page.getByText("No archives yet").waitFor();
  await tabTo(page, /^Days that events are kept/);
  await page.keyboard.type("90");
  await page.keyboard.press("Enter");
  await page.getByText("The retention is changed").waitFor();
  await page.getByText(/From .* on, they are kept for 90 days/).waitFor();
  expect(await all()).toMatchObject({ account_days: 90, days: null });
  await expectUsableAtAll(page);

  const days = page.getByLabel("Days that events are kept");
  await days.fill("1");
  await page.keyboard.press("Enter");
  expect(await days.evaluate((input: HTMLInputElement) => input.validity.rangeUnderflow)).toBe(
    true,
  );
  await page.getByRole("checkbox", { name: /^Archive events/ }).check();
  await days.fill("60");
  await page.getByRole("button", { name: "Save" }).click();
  const alert = page.locator("form").getByRole("alert");
  await alert.getByText("archive: must be false: the plan has no archives").waitFor();
  expect(await days.inputValue()).toBe("60");
  expect(await all()).toMatchObject({ account_days: 90, archive: false });
});

test("a long list is turned page by page, and what is placed is on the first page", async () => {
  const { client, page } = await opened("usage");
  for (let from = 1; from <= 51; from += 1)
    expect((await client.post("/v1/holds", { from_sequence: from })).status).toBe(201);
  await visit(page, "holds");
  const rows = page.locator("tbody").getByRole("row");
  expect(await rows.count()).toBe(50);
  expect(await rows.first().innerText()).toContain("51 and later");
  await page.getByRole("button", { name: "Older" }).click();
  await expect.poll(() => rows.count()).toBe(1);
  expect(await rows.innerText()).toMatch(/(^|\s)1 and later/);
  expect(await page.getByRole("button", { name: "Older" }).count()).toBe(0);
  await page.getByLabel("From number").fill("60");
  await page.getByRole("button", { name: "Place hold" }).click();
  await rows.first().getByText("60 and later").waitFor();
  expect(await rows.count()).toBe(50);
  expect(await page.getByRole("button", { name: "Newest" }).count()).toBe(0);
});
