// Guarantee: the address of the events screen holds its filters and the opened event. Whoever opens it sees
// the same, also after a login, and Back closes the event. No visit of the screen leaves a further widget
// token. What an address holds reaches the service as filters of the list, and nothing else does. What
// is shown leads to its export, its hold and its erasure.

import { newClient } from "@annals/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openBrowser } from "./chromium.ts";
import { expectUsable, openDashboard, visit } from "./dashboard.ts";

const stack = inject("stack");
const { baseUrl } = stack;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const detail = (page: Page) => page.getByRole("region", { name: "Details of the event" });
const grid = (page: Page) => page.getByRole("grid");
const hashOf = (page: Page) => new URL(page.url()).hash;

async function withEvents() {
  const account = await newClient(stack);
  const events = ["invoice.create", "invoice.send", "user.login"].map((action) => ({
    action,
    actor: { id: "u_1" },
  }));
  const { body } = await account.client.post("/v1/events/batch", { events });
  return { ...account, ids: body.data.map(({ id }: { id: string }) => id) as string[] };
}

test("an address shows its filters and its event in another browser, and Back closes the event", async () => {
  const { key, ids } = await withEvents();
  const page = await openDashboard(browser, { baseUrl, key }, "events?action=invoice.*");
  await grid(page).getByText("invoice.create").waitFor();
  expect(await grid(page).getByText("user.login").count()).toBe(0);
  await grid(page).getByText("invoice.send").click();
  await detail(page).getByRole("heading", { name: "invoice.send" }).waitFor();
  await expect.poll(() => hashOf(page)).toBe(`#/events?action=invoice.*&open=${ids[1]}`);

  const other = await openDashboard(browser, { baseUrl, key }, hashOf(page).slice("#/".length));
  await detail(other).getByRole("heading", { name: "invoice.send" }).waitFor();
  expect(await grid(other).getByText("user.login").count()).toBe(0);

  const viewer = page.locator("annals-viewer");
  await viewer.evaluate((element: HTMLElement) => (element.dataset["mark"] = "the first"));
  await page.goBack();
  await detail(page).waitFor({ state: "detached" });
  expect(hashOf(page)).toBe("#/events?action=invoice.*");
  await grid(page).getByText("invoice.create").waitFor();
  await page.goForward();
  await detail(page).getByRole("heading", { name: "invoice.send" }).waitFor();
  await page.keyboard.press("Escape");
  await detail(page).waitFor({ state: "detached" });
  await expect.poll(() => hashOf(page)).toBe("#/events?action=invoice.*");
  // The viewer was never made again for it.
  expect(await viewer.getAttribute("data-mark")).toBe("the first");
  await page.getByRole("link", { name: "Events", exact: true }).click();
  await grid(page).getByText("user.login").waitFor();
});

test("a search is saved with its filters, found by others of the account, and deleted", async () => {
  const { key } = await withEvents();
  const query = "events?action=invoice.*&not.action=invoice.create&text=u_1";
  const page = await openDashboard(browser, { baseUrl, key }, query);
  await grid(page).getByText("invoice.send").waitFor();
  await page.getByRole("button", { name: "Save search" }).click();
  await page.getByLabel("Name of the search").fill("Sent <b>invoices</b>");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("The search is saved.").waitFor();

  const other = await openDashboard(browser, { baseUrl, key }, "events");
  await grid(other).getByText("user.login").waitFor();
  await other.getByRole("link", { name: "Sent <b>invoices</b>" }).click();
  await other.getByText("The loaded event is verified").waitFor();
  expect(await other.getByRole("combobox", { name: /^Query/ }).inputValue()).toBe(
    "action:invoice.* -action:invoice.create u_1",
  );
  await expectUsable(other);
  await other.getByRole("button", { name: "Delete the search Sent" }).click();
  await other.getByText("The search is deleted.").waitFor();
  expect(await other.getByRole("link", { name: "Sent" }).count()).toBe(0);
});

test("three visits leave one widget token", async () => {
  const { key, client } = await withEvents();
  const page = await openDashboard(browser, { baseUrl, key }, "events");
  for (let visits = 0; visits < 3; visits += 1) {
    await grid(page).getByText("user.login").waitFor();
    await visit(page, "usage");
    await visit(page, "events");
  }
  expect((await client.get("/v1/widget-tokens")).body.data).toHaveLength(1);
});

test("what an address holds is neither markup nor a parameter of another kind", async () => {
  const { key } = await withEvents();
  const asked: URLSearchParams[] = [];
  const hostile = encodeURIComponent(`<img src=x onerror="alert(1)">`);
  const page = await openDashboard(browser, { baseUrl, key }, "usage");
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === "/v1/widget/events") asked.push(searchParams);
  });
  await visit(page, `events?action=${hostile}&limit=5&include=x&token=y&open=${hostile}`);
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  for (const query of asked) {
    expect(query.get("action")).toBe(`<img src=x onerror="alert(1)">`);
    expect([query.has("include"), query.has("token"), query.get("limit") === "5"]).toEqual([
      false,
      false,
      false,
    ]);
  }
  expect(await page.locator("img").count()).toBe(0);
});

test("what is shown leads to its export, and an opened event to its hold and its erasure", async () => {
  const { key, client, ids } = await withEvents();
  const from = "2020-01-31T09:30:15.000Z";
  const page = await openDashboard(
    browser,
    { baseUrl, key },
    `events?action=invoice.*&not.action=invoice.create&not.actor_id=u 2&occurred_from=${from}`,
  );
  const query = page.getByRole("combobox", { name: /^Query/ });
  expect(await query.inputValue()).toBe('action:invoice.* -action:invoice.create -actor_id:"u 2"');
  await grid(page).getByText("invoice.send").click();
  await page.getByRole("link", { name: "Hold the opened event" }).click();
  await page.getByRole("button", { name: "Place hold" }).click();
  await page.getByText("The hold is placed").waitFor();
  const [hold] = (await client.get("/v1/holds")).body.data;
  expect(hold).toMatchObject({ from_sequence: 2, to_sequence: 2 });

  await page.goBack();
  await page.getByRole("link", { name: "Erase parts of it" }).click();
  expect(await page.getByLabel("Select").inputValue()).toBe("event_id");
  expect(await page.getByLabel("Id", { exact: true }).inputValue()).toBe(ids[1]);

  await page.goBack();
  await page.getByRole("link", { name: "Export these events" }).click();
  await page.getByRole("button", { name: "Create export" }).click();
  await page.getByText("The export is being written").waitFor();
  const [made] = (await client.get("/v1/exports")).body.data;
  expect(made.filter).toMatchObject({
    action: "invoice.*",
    not: { action: ["invoice.create"], actor_id: ["u 2"] },
  });
  expect(Date.parse(made.filter.occurred_from)).toBe(Date.parse(from));
});
