// Guarantee: a verification shows its progress and what it found, and its history outlives the login in this
// browser alone, without a key. Usage shows what is used of each limit, which one is reached, what the plan
// leaves out, and which scope the key lacks.

import { newClient, newKey, ownerOf } from "@annals/testing";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { URL_OF_NOBODY } from "../system/bad-bodies.ts";
import { startConstellation } from "../system/constellation.ts";
import { openBrowser } from "./chromium.ts";
import { expectUsable, logIn, openDashboard, shoot, WIDTHS } from "./dashboard.ts";

const stack = inject("stack");
const { baseUrl } = stack;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** More than one request of a verification takes. */
const EVENTS = 5_250;

test("a verification has progress in pieces and a history, and names the event that was changed", async () => {
  const { key, client, accountId } = await newClient(stack);
  const events = Array.from({ length: EVENTS / 21 }, () => ({ action: "a.b" }));
  await Promise.all(Array.from({ length: 21 }, () => client.post("/v1/events/batch", { events })));
  const page = await openDashboard(browser, { baseUrl, key }, "verification");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).search));
  await page.evaluate(() => {
    const seen = ((globalThis as { seen?: string[] }).seen = []) as string[];
    new MutationObserver(() => {
      const shown = document.querySelector("label[for=progress]")?.textContent;
      if (shown) seen.push(shown);
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  await button(page, "Verify").click();
  await page.getByText("Events 1 to 5,250 are verified").waitFor();
  expect(asked).toEqual([
    "?from_sequence=1&to_sequence=1",
    "?from_sequence=1&to_sequence=2625",
    "?from_sequence=2626",
  ]);
  expect(await page.evaluate(() => (globalThis as { seen?: string[] }).seen)).toContain(
    "2,625 of 5,250 events verified",
  );

  const owner = ownerOf(stack.databaseUrl);
  const change =
    "UPDATE ledger.events SET action = 'c.d' WHERE account_id = $1 AND sequence_number = 4000";
  await owner.query(change, [accountId]);
  await owner.close();
  await button(page, "Verify").click();
  await page.getByText("Event 4,000 differs from what was stored").waitFor();
  const rows = page.getByRole("table", { name: "Verifications" }).getByRole("row");
  expect(await rows.nth(1).innerText()).toMatch(/differs event 4,000[^]*hash_mismatch/);
  expect(await rows.nth(2).innerText()).toMatch(/verified[^]*1 to 5,250/);

  // The history outlives the login in this browser, for this account alone, and holds no key.
  const again = async (other: string) => {
    await button(page, "Log out").click();
    await logIn(page, other);
    await button(page, "Log out").waitFor();
  };
  const { key: stranger } = await newClient(stack);
  await again(stranger);
  await page.getByText("Nothing was verified in this browser yet").waitFor();
  await again((await newKey(stack.databaseUrl, accountId, ["verify"])).key);
  await rows.nth(2).waitFor();
  expect(await rows.nth(1).innerText()).toMatch(/differs event 4,000/);
  const kept = await page.evaluate(() => JSON.stringify(localStorage));
  expect(kept).toContain(accountId);
  expect(kept).not.toContain("_sk_");
  await button(page, "Clear the history").click();
  await page.getByText("Nothing was verified in this browser yet").waitFor();
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
});

/** Another file of plans than that of the stack of all tests. */
async function startPlanned() {
  const folder = await mkdtemp(join(tmpdir(), "annals-usage-"));
  const file = join(folder, "plans.json");
  const free = {
    max_keys: 2,
    max_webhooks: 3,
    monthly_events: 1_000,
    features_left_out: ["exports"],
  };
  await writeFile(file, JSON.stringify({ plans: { free }, default: "free" }));
  const planned = await startConstellation({
    shared: stack,
    env: { keys: { ANNALS_PLANS_FILE: file } },
    without: ["nats", "export"],
  });
  onTestFinished(async () => {
    await planned.stop();
    await rm(folder, { recursive: true });
  });
  return planned;
}

test("usage shows each limit, what is reached, what the plan leaves out, and the scopes that are missing", async () => {
  const planned = await startPlanned();
  const { client, accountId, key: first } = await newClient(planned);
  const { key } = await newKey(planned.databaseUrl, accountId, ["verify"]);
  const events = Array.from({ length: 850 }, () => ({ action: "a.b" }));
  await client.post("/v1/events/batch", { events });
  await client.post("/v1/webhooks", { url: URL_OF_NOBODY, events: ["export.completed"] });
  for (const width of WIDTHS) {
    const look = { baseUrl: planned.baseUrls[0] ?? "", width };
    const page = await openDashboard(
      browser,
      { ...look, key: width === 360 ? key : first },
      "usage",
    );
    const shown = await page.getByRole("main").innerText();
    expect(shown).toMatch(/The plan of this account is free/);
    expect(shown).toMatch(/Events of \d{4}-\d\d: 850 of 1,000\n/);
    expect(shown).toMatch(/Stored events: 850, without a limit/);
    expect(shown).toMatch(/Requests of the account: \d+ of [\d,]+\n/);
    expect(shown).toMatch(/Live widget tokens of this key: 0 of 2,500/);
    expect(shown).toMatch(/Live API keys: 2 of 2 limit reached/);
    expect(shown).toMatch(/Webhooks: 1 of 3\n[^]*Kept exports: not in the plan/);
    expect(await page.getByLabel("Events of").evaluate((bar: HTMLMeterElement) => bar.value)).toBe(
      850,
    );
    const state = (use: string) =>
      page.getByRole("row", { name: use }).locator(".badge").innerText();
    expect(await state("Verification")).toBe("allowed");
    expect(await state("Storing events")).toBe(width === 360 ? "scope missing" : "allowed");
    expect(await state("Exports")).toBe(width === 360 ? "scope missing" : "not in the plan");
    await expectUsable(page);
    if (width === WIDTHS[1]) await shoot(page, "usage");
  }
});
