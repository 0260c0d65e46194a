// Guarantee: a session that ends while a form is open leaves the form as it is, and after a login in another
// tab it can be sent; what another person has begun there is sent in nobody's name. Tokens are renewed only
// after an input, whatever the page asks for. The clock of the page is moved. The system has a file of
// identity providers, so it is the file's own.

import { ownerOf } from "@annals/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { openBrowser } from "./chromium.ts";
import { expectUsable } from "./dashboard.ts";
import { PeopleSystem } from "./dashboard-people.ts";

const MINUTE_MS = 60_000;

let browser: Browser;
let people: PeopleSystem;
beforeAll(async () => {
  [browser, people] = await Promise.all([openBrowser(), PeopleSystem.start(inject("stack"))]);
});
afterAll(async () => {
  await browser.close();
  await people.stop();
});

const alert = (page: Page) => page.getByRole("alert");

describe("a session that ends while a form is open", () => {
  let page: Page;
  let accountId: string;
  let group: string;

  beforeEach(async () => {
    ({ accountId, group } = await people.newTeam("manager"));
    page = await people.openLoggedIn(browser, [group], { at: `#/${accountId}/keys` });
    await page.getByRole("textbox", { name: "Name" }).fill("billing");
    await page.getByLabel("events:write").check();
    const owner = ownerOf(people.databaseUrl);
    await owner.query("DELETE FROM keys.sessions");
    await owner.close();
    await page.getByRole("button", { name: "Create key" }).click();
    await alert(page).first().waitFor();
  });

  /** Follows the link of the page to a tab of its own. */
  async function logInAgain(): Promise<void> {
    const opened = page.context().waitForEvent("page");
    await page.getByRole("link", { name: "Log in in a new tab" }).first().click();
    const tab = await opened;
    await tab.getByRole("button", { name: "Log out" }).waitFor();
    await tab.close();
  }

  test("says so and keeps it, and after a login in another tab it can be sent", async () => {
    expect(await alert(page).first().innerText()).toMatch(/Your session has ended/);
    expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("billing");
    await expectUsable(page);
    await logInAgain();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByText("The key is created. Copy it now.").waitFor();
    // The list is read again once the key is created.
    await page.getByRole("row", { name: /^billing / }).waitFor();
    expect(await alert(page).count()).toBe(0);
  });

  test("sends nothing for another manager, who has logged in meanwhile", async () => {
    await page.context().clearCookies();
    people.newPerson([group]);
    await logInAgain();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByText("Somebody else has logged in with this browser").first().waitFor();
    const owner = ownerOf(people.databaseUrl);
    const made = "SELECT 1 FROM keys.api_keys WHERE account_id = $1 AND name = 'billing'";
    expect(await owner.query(made, [accountId])).toEqual([]);
    await owner.close();
  });
});

test("a token is renewed before its end after an input, and else not", async () => {
  const { accountId, group } = await people.newTeam("viewer");
  people.newPerson([group]);
  const page = await people.open(browser);
  await page.clock.install();
  let renewals = -1;
  page.on("request", (request) => {
    if (request.url().endsWith("/auth/token")) renewals += 1;
  });
  await page.goto(`${people.origin}/dashboard/#/${accountId}/me`);
  await people.logIn(page);

  // It is fresh: an input is only noted, and is why it is renewed in time.
  await page.keyboard.press("Tab");
  expect(renewals).toBe(0);
  const first = page.waitForResponse((one) => one.url().endsWith("/auth/token"));
  await page.clock.fastForward(9 * MINUTE_MS);
  await first;
  expect(renewals).toBe(1);

  // Without one the page asks in vain, however long it is open.
  await page.clock.fastForward(11 * MINUTE_MS);
  await page.evaluate((hash) => (location.hash = hash), `#/${accountId}/widget-tokens`);
  await page.getByText("Nobody has used this page for ten minutes").waitFor();
  expect(renewals).toBe(1);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("No active tokens").waitFor();
  expect(renewals).toBe(2);
});
