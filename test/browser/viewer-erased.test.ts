// Guarantee: the viewer says of an event which parts were erased, when and by which record, as the chain says
// it; the rest stays verified. A record that differs, or that the token hides, is not named. The dashboard
// shows the same.

import { ownerOf } from "@annals/testing";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { completed, letTimePass, PATH } from "../api/erasures/erasures-client.ts";
import { expectAccessible } from "./browser.ts";
import { openBrowser } from "./chromium.ts";
import { openDashboard } from "./dashboard.ts";
import { embed } from "./embed.ts";
import { accountWith } from "./events.ts";

const stack = inject("stack");
const { baseUrl } = stack;
const owner = ownerOf(stack.databaseUrl);

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => Promise.all([browser.close(), owner.close()]));

/** Two events that have lost their actor and their metadata; the third is the record. */
async function accountWithErased() {
  const account = await accountWith(stack, 2);
  const asked = { actor_id: "u_1", parts: ["actor", "metadata"] };
  const { body } = await account.client.post(PATH, asked);
  await letTimePass(owner, account.accountId);
  expect(await completed(owner, account.client, body.data.id)).toMatchObject({ erased: 2 });
  return account;
}

/** Opens the details of the event in a row. */
async function open(shown: Page | Locator, row: RegExp): Promise<Locator> {
  await shown.getByRole("row", { name: row }).click();
  const detail = shown.getByRole("region", { name: "Details of the event" });
  await detail.getByText("Previous hash").waitFor();
  return detail;
}

const BY_RECORD = /^erased on .*\d.*, record 3$/;
const ERASED = /invoice\.update/;

test("erased parts, with their record; what is left is verified", async () => {
  const { client, key } = await accountWithErased();
  const { page, viewer } = await embed(browser, { baseUrl, client });
  await viewer.getByText("All 3 loaded events are verified").waitFor();
  const row = await viewer.getByRole("row", { name: ERASED }).innerText();
  expect(row).toMatch(/erased.*◌ Verified, partly erased/s);
  const detail = await open(viewer, ERASED);
  // The actor and the metadata.
  await detail.getByText(BY_RECORD).nth(1).waitFor();
  expect(await detail.getByText(BY_RECORD).count()).toBe(2);
  expect(await detail.locator("dl[part=proof] .hidden").allInnerTexts()).toEqual([
    "erased",
    "erased",
  ]);
  await detail.getByText("203.0.113.7", { exact: true }).last().waitFor();
  await expectAccessible(page);

  const dashboard = await openDashboard(browser, { baseUrl, key }, "events");
  const shown = await open(dashboard, ERASED);
  await shown.getByText(BY_RECORD).first().waitFor();
  await expectAccessible(dashboard);
});

test("a record that differs is not named", async () => {
  const { accountId, client } = await accountWithErased();
  await owner.query(
    `UPDATE ledger.events SET metadata = replace(metadata, '"actor",', '')
     WHERE account_id = $1 AND sequence_number = 3`,
    [accountId],
  );
  const { page, viewer } = await embed(browser, { baseUrl, client });
  await viewer.getByText("1 of 3 loaded events differ").waitFor();
  const asked = page.waitForResponse(/action=annals\.erasure/);
  const detail = await open(viewer, ERASED);
  await (await asked).finished();
  await detail.getByText("erased", { exact: true }).first().waitFor();
  expect(await detail.getByText(/record/).count()).toBe(0);
});

test("where the token hides the records, only the erasure is shown", async () => {
  const { client } = await accountWithErased();
  const { page, viewer } = await embed(browser, { baseUrl, client, token: { parts: ["context"] } });
  await viewer.getByText("All 3 loaded events are verified").waitFor();
  const row = await viewer.getByRole("row", { name: ERASED }).innerText();
  expect(row).toContain("◐ Verified, partly hidden");
  const asked = page.waitForResponse(/action=annals\.erasure/);
  const detail = await open(viewer, ERASED);
  await (await asked).finished();
  await detail.getByText("erased", { exact: true }).first().waitFor();
  expect(await detail.getByText(/record/).count()).toBe(0);
});
