// Guarantee: a person logs in with an identity provider and comes back to the address where they began. The
// session is a cookie that no page reads and no other site sends, and a POST of another origin is refused.
// Roles see the screens of their scopes. Managers map roles by keyboard. A failed login says why. The
// provider is real, and the system has a file of identity providers, so it is the file's own.

import { freePort } from "@annals/local";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { openBrowser } from "./chromium.ts";
import { expectUsable, tabTo, WIDTHS } from "./dashboard.ts";
import { PeopleSystem } from "./dashboard-people.ts";
import { openSite } from "./site.ts";

let browser: Browser;
let people: PeopleSystem;
beforeAll(async () => {
  [browser, people] = await Promise.all([openBrowser(), PeopleSystem.start(inject("stack"))]);
});
afterAll(async () => {
  await browser.close();
  await people.stop();
});

const menu = (page: Page) => page.getByRole("navigation").getByRole("link").allInnerTexts();
const main = (page: Page) => page.getByRole("main");

describe("the session", () => {
  test("is a strict cookie of the callback, which the page's next request sends", async () => {
    const { accountId, group } = await people.newTeam("viewer");
    people.newPerson([group]);
    const page = await people.open(browser);
    const at = `#/${accountId}/widget-tokens`;
    await page.goto(`${people.origin}/dashboard/${at}`);
    const callback = page.waitForResponse((one) => one.url().includes("/auth/callback/okta?"));
    const asked = page.waitForRequest((request) => request.url().endsWith("/auth/token"));
    await people.logIn(page);
    expect((await callback).status()).toBe(303);
    const set = (await (await callback).allHeaders())["set-cookie"] ?? "";
    const session = set.split("\n").find((line) => line.startsWith("annals-session=")) ?? "";
    expect(session).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
    const cookie = session.split(";")[0] ?? "";
    expect((await (await asked).allHeaders())["cookie"]).toContain(cookie);
    expect(new URL(page.url()).hash).toBe(at);
    const kept = await page.evaluate(() => [
      document.cookie,
      localStorage.length,
      sessionStorage.length,
    ]);
    expect(kept).toEqual(["", 0, 0]);
  });

  test("goes with no POST of another site, and none of another origin is answered", async () => {
    const { accountId, group } = await people.newTeam("viewer");
    const site = await openSite({ "/": { content: "", policy: "connect-src *" } });
    onTestFinished(site.close);
    // A port of localhost is of the same site, and gets the cookie.
    const others = [site.origin, site.origin.replace("127.0.0.1", "localhost")];
    const page = await people.openLoggedIn(browser, [group], { others });
    for (const origin of others) {
      const statuses: number[] = [];
      const other = await page.context().newPage();
      other.on("response", (response) => {
        if (response.url().includes("/auth/")) statuses.push(response.status());
      });
      await other.goto(`${origin}/`);
      await other.evaluate(post, { at: people.origin, accountId });
      expect([origin, ...statuses.filter((status) => status < 400)]).toEqual([origin]);
      expect(statuses.length).toBeGreaterThanOrEqual(6);
      await other.close();
    }
    await page.reload();
    await page.getByRole("button", { name: "Log out" }).waitFor();
  });

  test("ends with the log out, here and at the provider", async () => {
    const { group } = await people.newTeam("viewer");
    const page = await people.openLoggedIn(browser, [group]);
    // The page of the provider, which asks for fonts of others.
    await page.route(`${people.issuer}/session/end?*`, (route) => route.fulfill({ body: "" }));
    await page.getByRole("button", { name: "Log out" }).click();
    await page.waitForURL(`${people.issuer}/session/end?*`);
    await page.goto(`${people.origin}/dashboard/`);
    await page.getByRole("link", { name: "Log in with Okta" }).waitFor();
    const names = (await page.context().cookies(people.origin)).map(({ name }) => name);
    expect(names).not.toContain("annals-session");
  });
});

/** In the page of a stranger: as JSON, which needs a preflight, and in the forms that need none. */
async function post({ at, accountId }: { readonly at: string; readonly accountId: string }) {
  const body = JSON.stringify({ account_id: accountId });
  for (const path of ["token", "logout"])
    for (const init of [
      { body: new Blob([body], { type: "text/plain" }), mode: "no-cors" },
      { body: new Blob([body]), mode: "no-cors" },
      { body: new URLSearchParams({ account_id: accountId }), mode: "no-cors" },
      { body, headers: { "content-type": "application/json" } },
    ] as const)
      await fetch(`${at}/auth/${path}`, { ...init, method: "POST", credentials: "include" }).catch(
        () => {},
      );
}

describe("an account", () => {
  test("of a viewer has the screens of a viewer, and a 403 names scope and role", async () => {
    const { accountId, group } = await people.newTeam("viewer");
    const page = await people.openLoggedIn(browser, [group]);
    expect(await menu(page)).toEqual(["Overview", "Events", "Widget tokens", "Usage"]);
    await page.goto(`${people.origin}/dashboard/#/${accountId}/keys`);
    const alert = page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(
      /Your role lacks the scope keys:manage[^]*Your role is viewer[^]*req_/,
    );
  });

  test("is in the address, so that two tabs show two", async () => {
    const first = await people.newTeam("manager");
    const second = await people.newTeam("viewer", first.group);
    await first.client.post("/v1/events", { action: "first.account" });
    await second.client.post("/v1/events", { action: "second.account" });
    const at = `#/${first.accountId}/events`;
    const page = await people.openLoggedIn(browser, [first.group], { at });
    expect(await menu(page)).toContain("Role mappings");
    await page.locator(".accounts summary").click();
    const link = page.locator(".accounts").getByRole("link");
    const other = await page.context().newPage();
    const href = `#/${second.accountId}/events`;
    expect(await link.evaluateAll((all) => all.map((one) => one.getAttribute("href")))).toContain(
      href,
    );
    await other.goto(`${people.origin}/dashboard/${href}`);
    await other.getByText("second.account").first().waitFor();
    expect(await menu(other)).not.toContain("Role mappings");
    await page.getByText("first.account").first().waitFor();
    await page.locator(`.accounts a[href="${href}"]`).click();
    await page.getByText("second.account").first().waitFor();
    expect(new URL(page.url()).hash).toBe(href);
  });

  test("is none for somebody without a role, who sees what to send to a manager", async () => {
    const page = await people.openLoggedIn(browser, ["guests", "staff"], { at: "", width: 360 });
    const shown = await main(page).innerText();
    expect(shown).toMatch(
      /No account has given you a role\. Send this to its manager\.[^]*Okta[^]*person-\d+[^]*guests, staff/,
    );
    await expectUsable(page);
  });
});

test("a manager adds and deletes mappings by keyboard, and sees people and their own login", async () => {
  const { accountId, group, mappingId } = await people.newTeam("manager");
  const page = await people.openLoggedIn(browser, [group], {
    at: `#/${accountId}/role-mappings`,
  });
  await tabTo(page, /^Name of the group/);
  await page.keyboard.type("guests");
  await tabTo(page, /^Role$/);
  await page.keyboard.type("none");
  await page.keyboard.press("Enter");
  await tabTo(page, /^Add mapping$/);
  await page.keyboard.press("Enter");
  await page.getByText("The mapping is added.").waitFor();
  await page.locator("h1").focus();
  const row = page.getByRole("row", { name: "guests" });
  expect(await row.innerText()).toMatch(/okta[^]*the group guests[^]*none/);
  await tabTo(page, /^Delete the mapping of guests$/);
  await page.keyboard.press("Enter");
  await tabTo(page, /^Delete mapping$/);
  await page.keyboard.press("Enter");
  await page.getByText("The mapping is deleted.").waitFor();
  await row.waitFor({ state: "detached" });
  for (const [at, text] of [
    ["people", /Ada Lovelace[^]*ada@example\.com[^]*okta[^]*person-\d+[^]*manager/],
    ["me", /Ada Lovelace[^]*ada@example\.com[^]*Okta \(okta\)[^]*manager[^]*the group group-\d+/],
    ["role-mappings", /the group group-\d+[^]*manager/],
  ] as const) {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await page.evaluate((hash) => (location.hash = hash), `#/${accountId}/${at}`);
      await main(page).getByText(mappingId).waitFor();
      expect(await main(page).innerText()).toMatch(text);
      await expectUsable(page);
    }
  }
});

describe("the login", () => {
  test.each([
    ["state", "", /began in another browser, was already finished, or took longer than 10 minutes/],
    ["unreachable", "", /Okta did not answer\. Try again, or use an API key\./],
    ["refused", "access_denied", /Okta refused this login \(access_denied\)\./],
    ["token", "audience", /answer of Okta is not valid \(audience\)\. Tell your operator/],
    ["groups", "", /Okta sent more than 1,000 groups, or a link in their place/],
    ["blocked", "", /You may not use this installation\./],
  ])("that fails with %s says why, with the request id", async (fault, detail, text) => {
    const page = await people.open(browser, 360);
    const query = new URLSearchParams({ fault, detail, provider: "okta", request: "req_1" });
    await page.goto(`${people.origin}/dashboard/#/log-in?${String(query)}`);
    const alert = page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(text);
    expect(await alert.innerText()).toContain("Request id: req_1");
    await expectUsable(page);
  });

  test("elsewhere than at the public URL says where it is, and hides the key if it is told to", async () => {
    const port = await freePort();
    const elsewhere = `http://localhost:${port}`;
    const loopback = people.origin.replace("localhost", "127.0.0.1");
    await people.stack.addReplica("gateway", {
      ANNALS_DASHBOARD_KEY_LOGIN: "false",
      ANNALS_PORT: String(port),
    });
    const page = await people.open(browser, 1_440, [elsewhere, loopback]);
    await page.goto(`${elsewhere}/dashboard/`);
    await main(page).getByText(`People log in at ${people.origin}/dashboard/`).waitFor();
    expect(await page.getByLabel("API key").count()).toBe(0);
    await page.goto(`${loopback}/dashboard/`);
    await page.getByLabel("API key").waitFor();
    expect(await page.getByRole("link", { name: /Log in with/ }).count()).toBe(0);
  });
});
