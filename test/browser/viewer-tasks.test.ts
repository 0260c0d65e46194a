// Guarantee: with the keyboard alone a reader of `<annals-viewer>` finds in a few steps who changed an
// invoice, the failed logins of a network in the last week, and the first event of an action. The address
// shows another reader the same. A step is a key, or a text that is typed without a pause.

import { type HttpClient, newClient } from "@annals/testing";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openBrowser } from "./chromium.ts";
import { embed } from "./embed.ts";

const stack = inject("stack");
const { baseUrl } = stack;

const HOUR_MS = 3_600_000;
const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString();
const login = (outcome: string, ip: string, hours: number) => ({
  action: "user.login",
  actor: { id: "usr_emil", type: "user", meta: { name: "Emil Sand" } },
  context: { ip },
  metadata: { outcome },
  occurred_at: ago(hours),
});

const EVENTS = [
  { action: "report.download", actor: { id: "usr_first", type: "user" }, occurred_at: ago(900) },
  login("failure", "203.0.113.4", 400),
  login("failure", "203.0.113.5", 40),
  login("failure", "198.51.100.7", 30),
  login("success", "203.0.113.6", 20),
  login("failure", "203.0.113.9", 10),
  {
    action: "invoice.update",
    actor: { id: "usr_ada", type: "user", meta: { name: "Ada Park" } },
    target: { id: "inv_7", type: "invoice" },
    diff: { before: { total: 1 }, after: { total: 2 } },
    occurred_at: ago(9),
  },
  { action: "invoice.send", target: { id: "inv_7", type: "invoice" }, occurred_at: ago(8) },
  ...Array.from({ length: 40 }, (_, n) => ({
    action: "report.download",
    actor: { id: `usr_${n}`, type: "user" },
    occurred_at: ago(7),
  })),
];

let browser: Browser;
let client: HttpClient;
beforeAll(async () => {
  browser = await openBrowser();
  ({ client } = await newClient(stack));
  await client.post("/v1/search/fields", {
    path: "context.ip",
    name: "ip",
    type: "ip",
  });
  await client.post("/v1/events/batch", { events: EVENTS });
});
afterAll(() => browser.close());

interface Reader {
  readonly page: Page;
  readonly viewer: Locator;
  readonly press: (...keys: readonly string[]) => Promise<void>;
  readonly type: (text: string) => Promise<void>;
  readonly tabTo: (name: RegExp) => Promise<void>;
  readonly steps: () => number;
}

/** A reader without a pointer, at the top of the page. */
async function read(): Promise<Reader> {
  const { page, viewer } = await embed(browser, {
    baseUrl,
    client,
    attributes: `sync-url refresh-seconds="0" facets="outcome action"`,
    page: { viewport: { width: 1_440, height: 900 } },
  });
  await viewer.getByText(`All ${EVENTS.length} loaded events are verified`).waitFor();
  let steps = 0;
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) {
      await page.keyboard.press(key);
      steps += 1;
    }
  };
  const type = async (text: string) => {
    await page.keyboard.type(text);
    steps += 1;
  };
  const isAt = (name: RegExp) =>
    page.evaluate((source) => {
      const focused = document.activeElement?.shadowRoot?.activeElement;
      return new RegExp(source).test(focused?.ariaLabel ?? focused?.textContent?.trim() ?? "");
    }, name.source);
  const tabTo = async (name: RegExp) => {
    for (let tabs = 0; tabs < 30 && !(await isAt(name)); tabs += 1) await press("Tab");
    expect(await isAt(name), `Tab leads to ${name}`).toBe(true);
  };
  return { page, viewer, press, type, tabTo, steps: () => steps };
}

const detailOf = (viewer: Locator) => viewer.getByRole("region", { name: "Details of the event" });

test("who changed this invoice: at most 14 steps", async () => {
  const { viewer, press, type, tabTo, steps } = await read();
  await tabTo(/^Query/);
  await type("action:invoice.update target:inv_7");
  await press("Enter");
  await viewer.getByText("The loaded event is verified").waitFor();
  await tabTo(/^Audit log$/);
  await press("Enter");
  const detail = detailOf(viewer);
  await detail.getByText("Ada Park", { exact: true }).first().waitFor();
  await detail.getByRole("table", { name: "Changes" }).waitFor();
  expect(steps(), "steps").toBeLessThanOrEqual(14);
});

test("failed logins of a network in the last week: at most 7 steps", async () => {
  const { viewer, page, press, type, tabTo, steps } = await read();
  await tabTo(/^Query/);
  // A pause in an address asks for its completion, which must be no error on the console.
  await page.keyboard.type("action:user.login outcome:failure ip:203.0.");
  await viewer.getByRole("option", { name: "203.0.113.9" }).waitFor();
  await type("113.0/24");
  await press("Enter");
  await viewer.getByText("All 3 loaded events are verified").waitFor();
  await tabTo(/^Time range$/);
  await type("Last 7 d");
  await viewer.getByText("All 2 loaded events are verified").waitFor();
  await viewer.getByText("2 events", { exact: true }).waitFor();
  const found = await viewer.locator(".body [part=address]").allInnerTexts();
  expect(found).toEqual(["203.0.113.9", "203.0.113.5"]);
  expect(steps(), "steps").toBeLessThanOrEqual(7);
});

test("the first event of an action, from any event of it: at most 19 steps", async () => {
  const { viewer, page, press, tabTo, steps } = await read();
  await tabTo(/^Audit log$/);
  await press("Enter");
  const detail = detailOf(viewer);
  await detail.getByRole("heading", { name: "report.download" }).waitFor();
  await tabTo(/^Filter: Action$/);
  await press("ArrowRight", "ArrowRight", "Enter");
  await detail.getByText("usr_first").first().waitFor();
  expect(steps(), "steps").toBeLessThanOrEqual(19);
  expect(new URL(page.url()).searchParams.get("annals_event")).toMatch(/^evt_/);
});

test("the address shows the same in another browser", async () => {
  const { viewer, page, press, type, tabTo } = await read();
  await tabTo(/^Query/);
  await type(`ip:(203.0.113.0/24 198.51.100.7) -outcome:success`);
  await press("Enter");
  await viewer.getByText("All 4 loaded events are verified").waitFor();
  await tabTo(/^Audit log$/);
  await press("ArrowDown", "Enter");
  await detailOf(viewer).getByText("198.51.100.7").first().waitFor();
  const other = await embed(browser, {
    baseUrl,
    client,
    attributes: "sync-url",
    query: new URL(page.url()).search,
    page: { viewport: { width: 1_440, height: 900 } },
  });
  await other.viewer.getByText("All 4 loaded events are verified").waitFor();
  await detailOf(other.viewer).getByText("198.51.100.7").first().waitFor();
  expect(await other.viewer.getByRole("combobox", { name: /^Query/ }).inputValue()).toBe(
    "ip:(203.0.113.0/24 198.51.100.7) -outcome:success",
  );
});
