// Guarantee: `<annals-viewer>` shows what was stored and says of each event what it could verify: verified,
// differs and which part, hidden, not checked. It does so under the strictest policies of a page, and what an
// event holds never becomes anything but text.

import { newClient, ownerOf } from "@annals/testing";
import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { expectAccessible } from "./browser.ts";
import { openBrowser } from "./chromium.ts";
import { embed, type Embedding } from "./embed.ts";
import { accountWith } from "./events.ts";
import { INVOICE } from "./invoice.ts";

const stack = inject("stack");
const { baseUrl } = stack;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const show = (client: Embedding["client"], more: Partial<Embedding> = {}) =>
  embed(browser, { baseUrl, client, ...more });

const rows = (viewer: Locator) => viewer.getByRole("grid").getByRole("row");
const firstRow = (viewer: Locator) => rows(viewer).nth(1);

async function openFirst(viewer: Locator): Promise<Locator> {
  await firstRow(viewer).click();
  const detail = viewer.getByRole("region", { name: "Details of the event" });
  await detail.waitFor();
  return detail;
}

describe("what was stored", () => {
  test.each(["own", "gateway"] as const)(
    "is shown verified, with the file from the %s origin",
    async (host) => {
      const { client } = await accountWith(stack, 3);
      const { viewer, page } = await show(client, { host });
      await viewer.getByText("All 3 loaded events are verified").waitFor();
      expect(await rows(viewer).count()).toBe(4);
      expect(await firstRow(viewer).innerText()).toMatch(
        /invoice\.update.*Ada.*u_1.*203\.0\.113\.7.*✓\s+Verified/s,
      );
      expect(page.workers().length).toBe(host === "own" ? 1 : 0);
      await expectAccessible(page);
    },
  );

  test("is shown whole: changes side by side, every part, the proof, the JSON", async () => {
    const { client } = await accountWith(stack, 2);
    const { viewer, page } = await show(client);
    await viewer.getByText("All 2 loaded events are verified").waitFor();
    const detail = await openFirst(viewer);
    const cells = (name: string) =>
      detail
        .getByRole("row", { name: new RegExp(`^${name}\\b`) })
        .first()
        .innerText();
    expect(await cells("total")).toMatch(/total\s+1200\s+1250/);
    expect(await cells("price")).toMatch(/price\s+10\s+12/);
    expect(await cells("paid")).toMatch(/paid\s+true/);
    for (const text of ["Ada", "2026-0009", "203.0.113.7", "r-77"])
      await detail.getByText(text, { exact: true }).last().waitFor();
    await detail.getByText("links to the event before it").waitFor();
    await detail.getByText("JSON", { exact: true }).click();
    const shown = JSON.parse(await detail.locator("pre").innerText());
    const { body } = await client.get("/v1/events?limit=1");
    expect(shown).toStrictEqual(body.data[0]);
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await detail.waitFor({ state: "detached" });
  });
});

describe("what was changed in the database", () => {
  const kinds = [
    ["metadata", 'UPDATE ledger.events SET metadata = \'{"request":"r-78"}\'', "Metadata"],
    ["action", "UPDATE ledger.events SET action = 'invoice.view'", "Hash"],
  ] as const;
  test.each(kinds)("%s: the event differs, and its badge says where", async (_, change, part) => {
    const { client, accountId } = await accountWith(stack, 3);
    const owner = ownerOf(stack.databaseUrl);
    await owner.query(`${change} WHERE account_id = $1 AND sequence_number = 3`, [accountId]);
    await owner.close();
    const { viewer, page } = await show(client);
    await viewer.getByText("1 of 3 loaded events differ from what was recorded").waitFor();
    expect(await firstRow(viewer).innerText()).toContain(`✗ Differs: ${part}`);
    expect(await rows(viewer).nth(2).innerText()).toMatch(/✓\s+Verified/);
    const detail = await openFirst(viewer);
    expect(await detail.getByText("differs", { exact: true }).count()).toBe(1);
    await expectAccessible(page);
  });

  test("a link that was cut differs", async () => {
    const { client, accountId } = await accountWith(stack, 3);
    const owner = ownerOf(stack.databaseUrl);
    const other = "repeat('ab', 32)";
    await owner.query(
      `UPDATE ledger.events SET hash = decode(${other}, 'hex') WHERE account_id = $1 AND sequence_number = 2`,
      [accountId],
    );
    await owner.close();
    const { viewer } = await show(client);
    await viewer.getByText("2 of 3 loaded events differ").waitFor();
    expect(await firstRow(viewer).innerText()).toContain("✗ Differs: Link");
    expect(await rows(viewer).nth(2).innerText()).toContain("✗ Differs: Hash");
  });
});

test("a part that the token hides is shown as hidden, and the rest is verified", async () => {
  const { client } = await accountWith(stack, 2);
  const { viewer, page } = await show(client, { token: { parts: ["diff"] } });
  await viewer.getByText("All 2 loaded events are verified").waitFor();
  expect(await firstRow(viewer).innerText()).toContain("◐ Verified, partly hidden");
  const detail = await openFirst(viewer);
  expect(await detail.getByText("hidden", { exact: true }).count()).toBeGreaterThanOrEqual(4);
  expect(await detail.innerText()).not.toContain("203.0.113.7");
  await detail.getByText("1250", { exact: true }).waitFor();
  await expectAccessible(page);
});

test("on a page without TLS nothing is checked, and the badge says so", async () => {
  const { client } = await accountWith(stack, 2);
  const { viewer, page } = await show(client, {
    script: "delete Crypto.prototype.subtle;",
    host: "gateway",
  });
  await viewer.getByText("2 of 2 loaded events are not checked").waitFor();
  expect(await firstRow(viewer).innerText()).toContain("– Not checked");
  await expectAccessible(page);
});

const nameOf = (hidden: string): string => `U+${hidden.charCodeAt(0).toString(16).toUpperCase()}`;

test("nothing in an event becomes markup, a link, or a script", async () => {
  const { client } = await newClient(stack);
  const hostile = [
    "<script>document.title = 'broken'</script>",
    "<svg onload=\"document.title = 'broken'\"></svg>",
    "<img src=x onerror=\"document.title = 'broken'\">",
    "javascript:document.title='broken'",
    "\u202egpj.exe\u2066",
    "'; --\"><style>*{display:none}</style>",
  ];
  // Longer than what is shown before a reader asks for all.
  const long = "<b>".repeat(1_000);
  const events = hostile.map((text) => ({
    action: text,
    actor: { id: text, type: text, meta: { [text]: text } },
    target: { id: text, type: text, meta: { href: text } },
    context: { [text]: [text] },
    diff: { before: { [text]: text }, after: { [text]: { [text]: text } } },
    metadata: { text, long },
  }));
  expect((await client.post("/v1/events/batch", { events })).status).toBe(201);
  const { viewer, page } = await show(client);
  await viewer.getByText("All 6 loaded events are verified").waitFor();
  for (const [at, text] of hostile.toReversed().entries()) {
    // The opened event is over the right side of the table.
    await viewer.locator(`#row-${at}`).click({ position: { x: 40, y: 10 } });
    const detail = viewer.getByRole("region", { name: "Details of the event" });
    const shown = text.replaceAll(/[\u202E\u2066]/g, (hidden) => `⟨${nameOf(hidden)}⟩`);
    await expect.poll(() => detail.getByRole("heading").first().textContent()).toContain(shown);
    expect(await detail.locator("bdi", { hasText: shown }).count()).toBeGreaterThan(3);
    for (const all of await detail.getByRole("button", { name: /^Show all/ }).all())
      if (await all.isVisible()) await all.click();
    await detail.getByText(long).first().waitFor();
  }
  // Nothing that a reader does not see, in the table and in the last detail.
  expect(await viewer.innerText()).not.toMatch(/[\u202E\u2066]/);
  expect(
    await viewer.locator("a, script, svg:not(.bars svg), img, style, iframe, object").count(),
  ).toBe(0);
  expect(await page.title()).toBe("A page");
  await expectAccessible(page);
});

test("an event of the reader's own choice is told to the page, and copied without the token", async () => {
  const { client } = await accountWith(stack, 2);
  const { viewer, page, token } = await show(client, {
    script:
      "viewer.addEventListener('annals-select', ({ detail }) => { window.selected = detail.event; });",
    page: { permissions: ["clipboard-read", "clipboard-write"] },
  });
  await viewer.getByText("All 2 loaded events are verified").waitFor();
  const detail = await openFirst(viewer);
  const selected = await page.evaluate(() => (window as unknown as { selected: unknown }).selected);
  expect(selected).toMatchObject({ action: "invoice.update", metadata: INVOICE.metadata });
  await detail.getByRole("button", { name: "Copy as curl" }).click();
  await viewer.getByText("Copied").waitFor({ state: "attached" });
  const command = await page.evaluate(() => navigator.clipboard.readText());
  expect(command).toMatch(
    new RegExp(
      `^curl -H "Authorization: Bearer \\$ANNALS_WIDGET_TOKEN" '${baseUrl}/v1/widget/events/evt_\\w+'$`,
    ),
  );
  expect(command).not.toContain(token);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    viewer.getByRole("button", { name: "Download" }).click(),
  ]);
  const chunks = await file.createReadStream().then((stream) => stream.toArray());
  const { data } = JSON.parse(Buffer.concat(chunks).toString());
  expect(data).toHaveLength(2);
  expect(data[0]).toMatchObject({ action: "invoice.update", proof: { v: 1 } });
});
