// Guarantee: what a person does in the dashboard happens in the service. A secret is shown once and can be
// copied; what cannot be undone is asked first; a download is the file of the export.

import { eventually, newClient, ownerOf } from "@annals/testing";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openBrowser } from "./chromium.ts";
import { expectUsable, openDashboard, shoot, tabTo, visit } from "./dashboard.ts";
import { tampered } from "./tampered-export.ts";

const stack = inject("stack");
const { baseUrl } = stack;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true });
const status = (page: Page) => page.getByRole("status").first();

test("a key is created, copied once, changed and revoked, with the keyboard alone", async () => {
  const { key, client } = await newClient(stack);
  const page = await openDashboard(browser, { baseUrl, key }, "keys");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const named = async (name: string) =>
    (await client.get("/v1/api-keys")).body.data.find((one: { name: string }) => one.name === name);

  await tabTo(page, /^Name/);
  await page.keyboard.type("billing");
  await tabTo(page, /^events:write/);
  await page.keyboard.press("Space");
  await page.keyboard.press("Enter");
  await page.getByText("The key is created").waitFor();
  expect(await named("billing")).toMatchObject({ scopes: ["events:write"] });

  await page.getByRole("heading", { level: 1 }).focus();
  await tabTo(page, /^Copy$/);
  await page.keyboard.press("Enter");
  await page.getByText("The API key is copied").waitFor();
  const made = await page.evaluate(() => navigator.clipboard.readText());
  expect((await client.as(made).post("/v1/events", { action: "a.b" })).status).toBe(201);
  await tabTo(page, /^I have stored it$/);
  await page.keyboard.press("Enter");
  expect(await page.content()).not.toContain(made);

  await tabTo(page, /^Change billing$/);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("invoices");
  await tabTo(page, /^Only from these addresses/);
  await page.keyboard.type("192.0.2.7");
  await page.keyboard.press("Enter");
  await page.keyboard.type("127.0.0.0/8");
  await tabTo(page, /^Save changes$/);
  await page.keyboard.press("Enter");
  await page.getByText("The key is changed").waitFor();
  const changed = await named("invoices");
  expect(changed).toMatchObject({ allowed_ips: ["192.0.2.7", "127.0.0.0/8"] });
  expect(changed).not.toHaveProperty("expires_at");

  await page.getByRole("heading", { level: 1 }).focus();
  await tabTo(page, /^Revoke invoices$/);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  expect(await named("invoices")).toBeDefined();
  expect(await page.locator(":focus").getAttribute("aria-label")).toBe("Revoke invoices");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await tabTo(page, /^Revoke key$/);
  await page.keyboard.press("Enter");
  await page.getByText("The key is revoked").waitFor();
  expect((await client.as(made).post("/v1/events", { action: "a.b" })).status).toBe(401);
});

test("a refusal of what was typed stays beside the form with its request id", async () => {
  const { key } = await newClient(stack);
  const page = await openDashboard(browser, { baseUrl, key }, "webhooks");
  await page.getByLabel("URL").fill("https://127.0.0.1/");
  await page.getByRole("checkbox", { name: /^event\.created/ }).check();
  await button(page, "Create webhook").click();
  const alert = page.locator("form").getByRole("alert");
  await alert.waitFor();
  expect(await alert.innerText()).toMatch(/url[^]*Request id: req_/);
  expect(await page.getByLabel("URL").inputValue()).toBe("https://127.0.0.1/");
});

test("a webhook is created, tested, replayed, rotated, disabled and deleted", async () => {
  const { key, client } = await newClient(stack);
  const page = await openDashboard(browser, { baseUrl, key }, "webhooks");
  const webhooks = async () => (await client.get("/v1/webhooks")).body.data;
  await page.getByLabel("URL").fill("https://receiver.invalid/hook");
  await page.getByRole("checkbox", { name: /^event\.created/ }).check();
  await button(page, "Create webhook").click();
  const secret = page.getByRole("region", { name: "New signing secret" });
  const first = await secret.locator("code").innerText();
  expect(first).toMatch(/^whsec_/);
  await button(page, "I have stored it").click();
  expect(await page.content()).not.toContain(first);
  expect(await webhooks()).toMatchObject([{ url: "https://receiver.invalid/hook", active: true }]);

  await button(page, /^Rotate secret/).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click();
  expect(await secret.locator("code").innerText()).toMatch(/^whsec_/);
  expect(await secret.locator("code").innerText()).not.toBe(first);
  await button(page, "I have stored it").click();

  await page.getByRole("link", { name: /^Deliveries/ }).click();
  await page.getByText("Nothing was delivered yet. Send a test").waitFor();
  await client.post("/v1/events", { action: "a.b" });
  const row = page.getByRole("row", { name: /event\.created/ });
  await eventually("it was attempted", async () => {
    await button(page, "Refresh").click();
    return (await row.count()) === 1;
  });
  // The name does not resolve: there was an attempt, and there will be another one.
  expect(await row.innerText()).toMatch(/failed[^]*no response[^]*1/);
  await page.setViewportSize({ width: 360, height: 640 });
  await shoot(page, "deliveries-narrow");
  expect(await row.locator("time").count()).toBe(2);
  await row.getByRole("button", { name: /^Replay/ }).click();
  await page.getByText("The replay is queued").waitFor();
  await button(page, "Send a test").click();
  await page.getByText("The test is queued").waitFor();

  await page.getByRole("link", { name: "All webhooks" }).click();
  await button(page, /^Disable/).click();
  await page.getByText("disabled", { exact: true }).waitFor();
  expect(await webhooks()).toMatchObject([{ active: false }]);
  await button(page, /^Delete/).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete webhook" }).click();
  await page.getByText("No webhooks yet").waitFor();
  expect(await webhooks()).toEqual([]);
});

test("a webhook is changed, its filter is kept while it is not changed, and a failing one says so", async () => {
  const { key, client, accountId } = await newClient(stack);
  const filter = { action: ["invoice.*", "user.*"], actor_id: ["u_1"] };
  const made = { url: "https://receiver.invalid/hook", events: ["event.created"], filter };
  const { body } = await client.post("/v1/webhooks", made);
  // As an erasure of the actor leaves it: no event has it.
  const owner = ownerOf(stack.databaseUrl);
  const emptied = `UPDATE webhooks.webhooks SET filter = replace(filter, '["u_1"]', '[]') WHERE account_id = $1`;
  await owner.query(emptied, [accountId]);
  await owner.close();
  const stored = async () => (await client.get("/v1/webhooks")).body.data[0];
  expect(await stored()).toMatchObject({ filter: { action: filter.action, actor_id: [] } });
  const page = await openDashboard(browser, { baseUrl, key }, "webhooks");
  await page.getByText("Nothing was delivered yet").waitFor();

  await tabTo(page, /^Change https:\/\/receiver/);
  await page.keyboard.press("Enter");
  expect(await page.locator(":focus").getAttribute("id")).toBe("url");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("https://other.invalid/hook");
  await tabTo(page, /^Save changes/);
  await page.keyboard.press("Enter");
  await page.getByText("The webhook is changed").waitFor();
  expect(await stored()).toMatchObject({
    id: body.data.id,
    url: "https://other.invalid/hook",
    filter: { action: filter.action, actor_id: [] },
  });

  await button(page, /^Change/).click();
  await page.getByLabel(/^Action/).fill("user.*\n\n invoice.sent ");
  await button(page, "Save changes").click();
  await page.getByText("user.*, invoice.sent").waitFor();
  expect((await stored()).filter).toEqual({ action: ["user.*", "invoice.sent"] });

  await client.post(`/v1/webhooks/${body.data.id}/test`);
  await eventually("it says that it fails", async () => {
    await visit(page, "usage");
    await visit(page, "webhooks");
    return (await page.getByRole("table").getByText("failing", { exact: true }).count()) === 1;
  });
  await expectUsable(page);
  await page.getByRole("link", { name: /^Deliveries/ }).click();
  await page.getByText("To https://other.invalid/hook").waitFor();
});

test("an export is created, and its download is its file", async () => {
  const { key, client } = await newClient(stack);
  await client.post("/v1/events/batch", {
    events: Array.from({ length: 100 }, () => ({ action: "a.b" })),
  });
  const page = await openDashboard(browser, { baseUrl, key }, "exports");
  await button(page, "Create export").click();
  await page.getByText("completed", { exact: true }).waitFor();
  const [one] = (await client.get("/v1/exports")).body.data;
  expect(one).toMatchObject({ event_count: 100 });
  const downloading = page.waitForEvent("download");
  await button(page, /^Download/).click();
  const file = await readFile(await (await downloading).path());
  expect(createHash("sha256").update(file).digest("hex")).toBe(one.sha256);
  await status(page).getByText("The file is downloaded").waitFor();

  await button(page, /^Verify here/).click();
  const result = page.getByRole("region", { name: "Result of the check" });
  await result.waitFor();
  expect(await result.innerText()).toMatch(
    /^verified[^]*100, each hash[^]*100 checked[^]*1 to 100/,
  );
  expect(await result.innerText()).toContain(one.sha256);
  await expectUsable(page);

  for (const [what, changed, fault] of tampered(file.toString())) {
    const buffer = Buffer.from(changed);
    await page.getByLabel("An export with proofs").setInputFiles([]);
    await page
      .getByLabel("An export with proofs")
      .setInputFiles({ name: `${what}.jsonl`, mimeType: "application/x-ndjson", buffer });
    await result.getByText(`${what}.jsonl`).waitFor();
    expect.soft(await result.innerText()).toMatch(/^differs/);
    expect.soft(await result.innerText(), what).toContain(fault);
  }
  await expectUsable(page);

  await button(page, /^Delete/).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete export" }).click();
  await page.getByText("No exports yet").waitFor();
});

test("the viewer shows events with a token of its own, which the log out revokes", async () => {
  const { key, client } = await newClient(stack);
  const events = EXAMPLES.map(([action, id, diff]) => ({
    action,
    actor: { id, type: "user" },
    target: { id: "inv_9", type: "invoice" },
    diff,
  }));
  await client.post("/v1/events/batch", { events });
  const page = await openDashboard(browser, { baseUrl, key });
  const bearers: (string | undefined)[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/v1/widget/")) bearers.push(request.headers()["authorization"]);
  });
  await page.getByRole("link", { name: "Events" }).click();
  const grid = page.getByRole("grid");
  await grid.getByText("invoice.create").waitFor();
  await page
    .getByText("✓ Verified", { exact: true })
    .nth(events.length - 1)
    .waitFor();
  // The table has its height: a row can be reached.
  await grid.getByText("invoice.update").click({ trial: true });
  await shoot(page, "events");
  expect(bearers.length).toBeGreaterThan(0);
  for (const bearer of bearers) expect(bearer).toMatch(/^Bearer annals_wt_/);
  const live = async () => (await client.get("/v1/widget-tokens")).body.data;
  expect(await live()).toMatchObject([{ viewer: { id: "dashboard" } }]);
  await button(page, "Log out").click();
  await eventually("the token is revoked", async () => (await live()).length === 0);
});

const EXAMPLES = [
  ["invoice.create", "u_1", { before: {}, after: { total: 1200 } }],
  ["invoice.update", "u_1", { before: { total: 1200 }, after: { total: 1250 } }],
  ["invoice.approve", "u_2", { before: { state: "draft" }, after: { state: "approved" } }],
  ["invoice.send", "u_2", {}],
] as const;

test("a widget token is created with its filter, shown once, and revoked", async () => {
  const { key, client } = await newClient(stack);
  await client.post("/v1/events/batch", { events: [{ action: "a.b" }, { action: "c.d" }] });
  const page = await openDashboard(browser, { baseUrl, key }, "widget-tokens");
  await page.getByLabel("Viewer's id").fill("u_7");
  await page.getByLabel("Origins").fill("https://app.example.com, https://b.example.com");
  await page.getByText("Only some events").click();
  await page.getByLabel(/^Action/).fill("a.*");
  await button(page, "Create token").click();
  const shown = page.getByRole("region", { name: "New widget token" }).locator("code");
  const token = await shown.innerText();
  const seen = await client.as(token).get("/v1/widget/events");
  expect(seen.body.data).toMatchObject([{ action: "a.b" }]);
  await button(page, "I have stored it").click();
  expect(await page.content()).not.toContain(token);
  const [one] = (await client.get("/v1/widget-tokens")).body.data;
  expect(one.origins).toEqual(["https://app.example.com", "https://b.example.com"]);
  await page
    .getByRole("row", { name: /u_7/ })
    .getByRole("button", { name: /^Revoke/ })
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke token" }).click();
  await page.getByText("No active tokens").waitFor();
  expect((await client.as(token).get("/v1/widget/events")).status).toBe(401);
});
