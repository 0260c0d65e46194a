// Guarantee: a person makes a sink of each type in the dashboard, and sees whether it works: the form has
// every member of its type, the receiver is tested at once, and what it lacks is said. A secret that was
// entered is not in the page afterwards, and never becomes readable.

import { eventually, newClient } from "@annals/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { SECRET, SINKS } from "../api/sinks/sink-bodies.ts";
import { SinkServer } from "../system/sinks-load.ts";
import { sharedWebhookSystem } from "../system/webhook-constellation.ts";
import { openBrowser } from "./chromium.ts";
import { expectUsable, openDashboard, tabTo, WIDTHS } from "./dashboard.ts";

const stack = inject("stack");
const { baseUrl } = stack;

let browser: Browser;
let system: Awaited<ReturnType<typeof sharedWebhookSystem>>;
beforeAll(async () => {
  [browser, system] = await Promise.all([openBrowser(), sharedWebhookSystem()]);
});
afterAll(async () => {
  await browser.close();
  await system.close();
});

const submit = (page: Page) => page.getByRole("button", { name: "Create and test sink" });
const created = (page: Page) => page.getByRole("status").filter({ hasText: "The sink is created" });

/** Each type with its fields, in the order of {@link SINKS}. */
const FORMS: Readonly<Record<string, Readonly<Record<string, string | boolean>>>> = {
  http: {
    URL: "https://siem.annals.invalid/in",
    Headers: `X-Key: ${SECRET}`,
    "Body of a request": "elastic",
    "Compress with gzip": true,
  },
  splunk_hec: {
    "URL of the collector": "https://splunk.annals.invalid:8088",
    Token: SECRET,
    Index: "audit",
    "Wait for the acknowledgement of the indexer": true,
  },
  otlp_http: {
    "URL of the logs endpoint": "https://siem.annals.invalid/in",
    Headers: `authorization: Bearer ${SECRET}`,
  },
  syslog: { Host: "syslog.annals.invalid", Port: "6514" },
  s3: {
    Bucket: "acme-audit",
    Region: "eu-central-1",
    Prefix: "annals/",
    Endpoint: "https://s3.annals.invalid",
    "Access key id": "AKIA1",
    "Secret access key": SECRET,
  },
  azure_event_hubs: {
    "URL of the namespace": "https://acme.annals.invalid",
    "Event hub": "audit",
    "Name of the shared access key": "send",
    "Shared access key": SECRET,
  },
};

async function fill(page: Page, fields: Readonly<Record<string, string | boolean>>): Promise<void> {
  for (const [label, value] of Object.entries(fields)) {
    const input = page.getByLabel(label, { exact: true });
    const isList = await input.evaluate((element) => element instanceof HTMLSelectElement);
    if (value === true) await input.check();
    else if (isList) await input.selectOption(String(value));
    else await input.fill(String(value));
  }
}

test.each(SINKS)("a sink of the type $type has all that its type has", async ({ type, shown }) => {
  const { key, client } = await newClient(stack);
  const page = await openDashboard(browser, { baseUrl, key }, "sinks");
  await page.getByLabel("Receiver", { exact: true }).selectOption(type);
  await fill(page, FORMS[type] ?? {});
  await expectUsable(page);
  await submit(page).click();
  await page.getByText("The receiver has not accepted the test").waitFor();
  const { body } = await client.get("/v1/sinks");
  expect(body.data).toMatchObject([{ type, config: shown, format: "annals", on_rejected: "stop" }]);
  expect(await page.content()).not.toContain(SECRET);
  const inputs = page.locator("main input, main textarea");
  const values = await inputs.evaluateAll((all) =>
    all.map((one) => (one as HTMLInputElement).value).join("\n"),
  );
  expect(values).not.toContain(SECRET);
  expect(await page.getByLabel("Receiver", { exact: true }).inputValue()).toBe(type);
  await expectUsable(page);
});

test("what was entered as a secret is in no field once another type is chosen", async () => {
  const { key } = await newClient(stack);
  const page = await openDashboard(browser, { baseUrl, key }, "sinks");
  await fill(page, { Token: SECRET, Index: SECRET });
  for (const type of SINKS.map((one) => one.type).toReversed()) {
    await page.getByLabel("Receiver", { exact: true }).selectOption(type);
    const values = await page
      .locator("main form :is(input, textarea)")
      .evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value));
    expect(values.join("\n"), type).not.toContain(SECRET);
  }
});

test("a sink is made and seen to work, with the keyboard alone: at most 34 steps", async () => {
  const client = await system.client();
  const server = await SinkServer.start(system);
  await client.post("/v1/events", { action: "invoice.created" });
  await client.post("/v1/events", { action: "user.created" });
  const [origin = ""] = system.stack.baseUrls;
  const page = await openDashboard(browser, { baseUrl: origin, key: client.key }, "sinks");
  // A step is a key, or a text that is typed without a pause.
  let steps = 0;
  const to = async (name: RegExp) => {
    steps += await tabTo(page, name);
  };
  const step = async (action: Promise<void>) => {
    await action;
    steps += 1;
  };
  await to(/^Receiver/);
  await step(page.keyboard.type("HTTPS"));
  await to(/^URL/);
  await step(page.keyboard.type(server.subscriber.url("sink")));
  await to(/^Headers/);
  await step(page.keyboard.type("X-Key: secret"));
  await to(/^What is sent/);
  await step(page.keyboard.press("Enter"));
  await to(/^diff/);
  await step(page.keyboard.press("Space"));
  await to(/^Only some events/);
  await step(page.keyboard.press("Enter"));
  await to(/^Action/);
  await step(page.keyboard.type("invoice.*"));
  await to(/^Create and test sink/);
  await step(page.keyboard.press("Enter"));
  await created(page).getByText("The receiver has accepted the test").waitFor();
  await created(page).getByText("All events up to number 2 are sent").waitFor({ timeout: 60_000 });
  expect(steps).toBeLessThanOrEqual(34);
  expect(server.lines).toContainEqual(expect.objectContaining({ action: "invoice.created" }));
  expect(server.lines).not.toContainEqual(expect.objectContaining({ action: "user.created" }));
  const { body } = await client.get("/v1/sinks");
  expect(body.data).toMatchObject([{ type: "http", leave_out: ["diff"] }]);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await expectUsable(page);
  }
});

test("a receiver that refuses the test is said to, and what the service rejects stays in the form", async () => {
  const client = await system.client();
  const server = await SinkServer.start(system);
  server.status = () => 403;
  const [origin = ""] = system.stack.baseUrls;
  const page = await openDashboard(browser, { baseUrl: origin, key: client.key }, "sinks");
  await page.getByLabel("Receiver", { exact: true }).selectOption("http");
  await fill(page, { URL: "http://siem.annals.invalid/", Headers: "X-Key: secret" });
  await submit(page).click();
  const alert = page.locator("form").getByRole("alert");
  expect(await alert.innerText()).toMatch(/config\.url[^]*Request id: req_/);
  expect(await page.getByLabel("Headers").inputValue()).toBe("X-Key: secret");
  await fill(page, { URL: server.subscriber.url("sink"), Headers: SECRET });
  await submit(page).click();
  await alert.getByText("A header has no name").waitFor();
  expect(await page.content()).not.toContain(SECRET);
  await fill(page, { Headers: "X-Key: secret" });
  await submit(page).click();
  await created(page)
    .getByText(/has not accepted the test[^]*403/)
    .waitFor();
  await eventually("it is there once", async () => {
    return (await client.get("/v1/sinks")).body.data.length === 1;
  });
});

test("a changed sink keeps its secrets for its receiver, and never sends them to another one", async () => {
  const client = await system.client();
  const [first, second] = [await system.subscriber(), await system.subscriber()];
  const config = { url: first.url("sink"), headers: { "x-key": SECRET }, body: "array" };
  await client.post("/v1/sinks", { type: "http", config, leave_out: ["diff"] });
  const [origin = ""] = system.stack.baseUrls;
  const page = await openDashboard(browser, { baseUrl: origin, key: client.key }, "sinks");
  await tabTo(page, /^Change https:/);
  await page.keyboard.press("Enter");
  expect(await page.locator(":focus").innerText()).toBe(`Change the sink to ${first.url("sink")}`);
  expect(await page.getByLabel("Headers").inputValue()).toBe("x-key:");
  await tabTo(page, /^Format/);
  await page.keyboard.type("ECS");
  await tabTo(page, /^Save and test sink/);
  await page.keyboard.press("Enter");
  await page.getByText("The receiver has accepted the test").waitFor();
  const [tested] = first.received;
  expect(tested?.headers).toMatchObject({ "x-key": SECRET });
  const stored = async () => (await client.get("/v1/sinks")).body.data[0];
  const shown = { ...config, headers: { "x-key": null } };
  expect(await stored()).toMatchObject({ format: "ecs", leave_out: ["diff"], config: shown });
  await expectUsable(page);

  await page.getByRole("button", { name: /^Change https:/ }).click();
  await page.getByLabel("URL", { exact: true }).fill(second.url("sink"));
  const save = page.getByRole("button", { name: "Save and test sink" });
  await save.click();
  await page.locator("form").getByText("Enter the value of x-key, too").waitFor();
  expect((await stored()).config.url).toBe(first.url("sink"));
  expect(second.received).toEqual([]);
  await page.getByLabel("Headers").fill("x-key: another");
  await save.click();
  await expect.poll(() => second.received.length).toBeGreaterThan(0);
  for (const { headers } of second.received) expect(headers["x-key"]).toBe("another");
  await page.getByText("The receiver has accepted the test").waitFor();
});
