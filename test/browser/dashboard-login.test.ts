// Guarantee: the dashboard keeps its key in memory, in the tab's storage only where asked, and nowhere else:
// not in the page, not in an address. Log out and a revoked key forget it. Its files have the strictest
// policy.

import { HttpClient, newClient, newKey } from "@annals/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openBrowser } from "./chromium.ts";
import { logIn, openDashboard, openLogin, tabTo } from "./dashboard.ts";

const stack = inject("stack");
const { baseUrl } = stack;
let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** Everything that outlives the program of the page or is seen in it. */
const traces = (page: Page) =>
  page.evaluate(() =>
    [
      document.documentElement.outerHTML,
      ...Array.from(document.querySelectorAll("input"), ({ value }) => value),
      location.href,
      document.cookie,
      JSON.stringify(localStorage),
      JSON.stringify(sessionStorage),
      JSON.stringify(history.state),
    ].join("\n"),
  );

describe("the files", () => {
  const anonymous = new HttpClient(baseUrl);

  test.each(["", "style.css", "icon.svg", "dashboard.js", "check-worker.js"])(
    "/dashboard/%s has a strict policy",
    async (name) => {
      const { status, headers } = await anonymous.get(`/dashboard/${name}`);
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
      });
      const policy = headers["content-security-policy"] ?? "";
      expect(policy).toMatch(/^default-src 'none'/);
      expect(policy).not.toMatch(/unsafe|\*|https?:|data:|blob:/);
      if (name !== "check-worker.js") {
        expect(policy).toContain("frame-ancestors 'none'");
        expect(policy).toContain("require-trusted-types-for 'script'");
      }
    },
  );

  test("nothing else is served, and the address without its last slash leads to it", async () => {
    expect((await anonymous.get("/dashboard/package.json")).status).toBe(404);
    expect((await anonymous.get("/dashboard/..%2f..%2fpackage.json")).status).toBe(404);
    const { status, headers } = await anonymous.get("/dashboard");
    expect({ status, location: headers["location"] }).toEqual({
      status: 308,
      location: "/dashboard/",
    });
  });
});

test("an unknown key is refused with the request id, and the login stays", async () => {
  const { key } = await newClient(stack);
  const wrong = `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`;
  const page = await openLogin(browser, { baseUrl });
  await logIn(page, wrong);
  const alert = page.getByRole("alert");
  await alert.waitFor();
  expect(await alert.innerText()).toMatch(/The key is not valid[^]*Request id: req_\w+/);
  expect(await traces(page)).not.toContain(wrong);
});

test("the key is in no storage, address or element, and a reload forgets it", async () => {
  const { key } = await newClient(stack);
  const urls: string[] = [];
  const page = await openLogin(browser, { baseUrl });
  page.on("request", (request) => urls.push(request.url()));
  await logIn(page, key);
  await page.getByRole("button", { name: "Log out" }).waitFor();
  expect(await traces(page)).not.toContain(key);
  expect(urls.length).toBeGreaterThan(1);
  expect(urls.join("\n")).not.toContain(key);
  await page.reload();
  await page.getByLabel("API key").waitFor();
});

test("kept for the tab it outlives a reload, and log out forgets it", async () => {
  const { key } = await newClient(stack);
  const page = await openLogin(browser, { baseUrl });
  await page.getByLabel(/Keep the key in this tab/).check();
  await logIn(page, key);
  await page.getByRole("button", { name: "Log out" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByLabel("API key").waitFor();
  expect(await traces(page)).not.toContain(key);
  await page.reload();
  await page.getByLabel("API key").waitFor();
});

test("a key that is revoked meanwhile is forgotten with the next request, and the reason is shown", async () => {
  const { client, accountId } = await newClient(stack);
  const { key, keyId } = await newKey(stack.databaseUrl, accountId);
  const page = await openDashboard(browser, { baseUrl, key });
  await client.delete(`/v1/api-keys/${keyId}`);
  await page.getByRole("button", { name: "Refresh" }).click();
  await page.getByLabel("API key").waitFor();
  expect(await page.getByRole("alert").innerText()).toMatch(/not valid[^]*Request id: req_\w+/);
  expect(await traces(page)).not.toContain(key);
});

test("the login works with the keyboard alone", async () => {
  const { key } = await newClient(stack);
  const page = await openLogin(browser, { baseUrl });
  await page.getByLabel("API key").waitFor();
  await tabTo(page, /^API key$/);
  await page.keyboard.type(key);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Log out" }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
});
