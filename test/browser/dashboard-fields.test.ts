// Guarantee: fields are declared in the dashboard, with the keyboard alone, from what the newest events have
// or by their path, and deleted after a question. Paths are shown as text, whatever their names have.

import { newClient } from "@annals/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openBrowser } from "./chromium.ts";
import { expectUsable, openDashboard, tabTo, WIDTHS } from "./dashboard.ts";

const stack = inject("stack");
const { baseUrl } = stack;
const HOSTILE = `<b>${"w".repeat(80)}`;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

async function opened() {
  const { key, client } = await newClient(stack);
  const context = { ip: "203.0.113.4", [HOSTILE]: 1 };
  const events = [{ action: "invoice.created", context }];
  expect((await client.post("/v1/events/batch", { events })).status).toBe(201);
  const page = await openDashboard(browser, { baseUrl, key }, "fields");
  const all = async () => (await client.get("/v1/search/fields")).body.data;
  return { all, page };
}

async function expectUsableAtAll(page: Page): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await expectUsable(page);
  }
}

test("one of what the newest events have is chosen, declared, and deleted after a question", async () => {
  const { all, page } = await opened();
  await page.getByText("No declared fields yet").waitFor();
  await expectUsableAtAll(page);
  await tabTo(page, /^Choose context\.ip$/);
  await page.keyboard.press("Enter");
  expect(await page.getByLabel("Path").inputValue()).toBe("context.ip");
  expect(await page.getByLabel("Read as").inputValue()).toBe("ip");
  await tabTo(page, /^Name/);
  await page.keyboard.type("ip");
  await page.keyboard.press("Enter");
  await page.getByText("The field is declared").waitFor();
  expect(await all()).toMatchObject([{ path: "context.ip", name: "ip", type: "ip" }]);
  expect(await page.getByRole("row", { name: /^ip/ }).innerText()).toMatch(
    /context\.ip[^]*address[^]*ready/,
  );
  expect(await page.getByRole("button", { name: "Choose context.ip" }).count()).toBe(0);
  await expectUsableAtAll(page);

  await page.getByRole("heading", { level: 1 }).focus();
  await tabTo(page, /^Delete ip$/);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByText("No search can name it then").waitFor();
  await page.keyboard.press("Escape");
  expect(await all()).toHaveLength(1);
  await page.keyboard.press("Enter");
  await tabTo(page, /^Delete field$/);
  await page.keyboard.press("Enter");
  await page.getByText("The field is deleted").waitFor();
  expect(await all()).toEqual([]);
});

test("a path with other characters is an array, and what the service refuses is said", async () => {
  const { all, page } = await opened();
  const declare = () => page.getByRole("button", { name: "Declare field" }).click();
  const path = page.getByLabel("Path");
  await path.fill("[context");
  await declare();
  await page.getByText('as an array such as ["context", "user agent"]').waitFor();
  await path.fill("actor.id");
  await declare();
  await page
    .getByText(/must begin with|path/)
    .first()
    .waitFor();
  expect(await all()).toEqual([]);
  await page.getByRole("button", { name: /^Choose \["context"/ }).click();
  await page.getByLabel("Name").fill("hostile");
  await page.getByRole("checkbox", { name: /are the same/ }).uncheck();
  await declare();
  await page.getByText("The field is declared").waitFor();
  expect(await all()).toMatchObject([{ path: ["context", HOSTILE], type: "number" }]);
  expect(await page.getByRole("row", { name: /^hostile/ }).innerText()).toContain(HOSTILE);
  await expectUsableAtAll(page);
});
