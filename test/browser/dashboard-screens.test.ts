// Guarantee: every screen fits 360 and 1,440 pixels, in light and dark, and axe finds nothing, whether it is
// empty, filled, refused for a scope or failed. Empty says what to do next, a missing scope is named, a
// failure has the request id. What is stored is shown as text, whatever it holds.

import { SCOPES, type Scope } from "@annals/contract";
import { type HttpClient, newClient, newKey } from "@annals/testing";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { ended } from "../system/exports-client.ts";
import { URL_OF_NOBODY } from "../system/bad-bodies.ts";
import { startConstellation } from "../system/constellation.ts";
import { openBrowser } from "./chromium.ts";
import { expectUsable, openDashboard, visit, WIDTHS } from "./dashboard.ts";

const stack = inject("stack");
const { baseUrl, databaseUrl } = stack;

/** Each screen with the scope that it needs, and what it says where there is nothing. */
const SCREENS: readonly (readonly [at: string, scope: Scope | undefined, empty: RegExp])[] = [
  ["overview", undefined, /There is no sink yet/],
  ["verification", "verify", /Press Verify/],
  ["keys", "keys:manage", /Create a key/],
  ["webhooks", "keys:manage", /No webhooks yet\. Create one below/],
  ["sinks", "keys:manage", /No sinks yet\./],
  ["exports", "export", /No exports yet\. Create one below/],
  ["fields", "keys:manage", /No declared fields yet\. Declare one below/],
  ["retention", "keys:manage", /No archives yet/],
  ["holds", "keys:manage", /No active holds/],
  ["erasures", "keys:manage", /No erasures yet/],
  ["widget-tokens", "events:read", /No active tokens\. Create one below/],
  ["workloads", "keys:manage", /No workloads yet/],
  ["usage", undefined, /There are no events yet/],
  // The last: it makes a widget token.
  ["events", "events:read", /There are no events yet\. Store the first one/],
];

const HOSTILE = `<script>alert(1)</script><img src=x onerror="alert(2)"> \u202Etxt.exe${"W".repeat(120)}`;
/** On a screen: the mark in place of a character that turns its neighbours round. */
const SHOWN = HOSTILE.replace("\u202E", "⟨U+202E⟩");

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

describe.each(WIDTHS)("at %i pixels", (width) => {
  const look = { baseUrl, width, colorScheme: width === 360 ? "dark" : "light" } as const;

  test("empty screens say what to do next", async () => {
    const { key } = await newClient(stack);
    const page = await openDashboard(browser, { ...look, key });
    await expectUsable(page);
    for (const [at, , empty] of SCREENS) {
      await visit(page, at);
      await page.getByRole("main").getByText(empty).first().waitFor();
      await expectUsable(page);
    }
  });

  test("filled screens show what is stored as text", async () => {
    const { key, webhookId, client } = await filled();
    const page = await openDashboard(browser, { ...look, key }, "keys");
    await expectUsable(page);
    expect(await page.getByText(SHOWN).count()).toBe(1);
    await visit(page, "webhooks");
    await expectUsable(page);
    await visit(page, "exports");
    expect(await page.getByText(SHOWN).count()).toBe(1);
    await expectUsable(page);
    await visit(page, "widget-tokens");
    expect(await page.getByText(SHOWN).count()).toBe(2);
    await expectUsable(page);
    await client.post(`/v1/webhooks/${webhookId}/test`);
    await visit(page, `webhooks/${webhookId}`);
    await expectUsable(page);
    await visit(page, "usage");
    await expectUsable(page);
    await visit(page, "verification");
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText("verified", { exact: true }).waitFor();
    await expectUsable(page);
    await visit(page, "events");
    await page.getByText("✓ Verified", { exact: true }).first().waitFor();
    await expectUsable(page);
    expect(await page.locator("main script, main img").count()).toBe(0);
  });

  test("a missing scope is named", async () => {
    const { accountId } = await newClient(stack);
    for (const [at, scope] of SCREENS) {
      if (scope === undefined) continue;
      const others = SCOPES.filter((one) => one !== scope);
      const { key } = await newKey(databaseUrl, accountId, others);
      const page = await openDashboard(browser, { ...look, key }, at);
      if (at === "verification") await page.getByRole("button", { name: "Verify" }).click();
      const alert = page.getByRole("alert");
      await alert.waitFor();
      expect(await alert.innerText()).toContain(`This key lacks the scope ${scope}`);
      expect(await alert.innerText()).toMatch(/Request id: req_\w+/);
      await expectUsable(page);
    }
  });
});

test("a failure of the service has the request id, and can be tried again", async () => {
  const failing = await startConstellation({ shared: stack, without: ["nats"] });
  try {
    const { key } = await newClient(failing);
    const page = await openDashboard(browser, {
      baseUrl: failing.baseUrls[0] ?? "",
      key,
      width: 360,
    });
    const keys = failing.processes.find(({ service }) => service === "keys");
    await keys?.stop();
    for (const [at] of SCREENS) {
      await visit(page, at);
      if (at === "verification") await page.getByRole("button", { name: "Verify" }).click();
      const alert = page.getByRole("alert").first();
      await alert.waitFor();
      expect(await alert.innerText()).toMatch(/Request id: req_\w+/);
      await expectUsable(page);
    }
    keys?.start();
    await keys?.waitReady();
    // A gateway that has not found the keys service again gives the error once more.
    await vi.waitFor(async () => {
      const again = page.getByRole("button", { name: "Try again" });
      if (await again.isVisible()) await again.click();
      await page.getByText(/There are no events yet/).waitFor({ timeout: 1_000 });
    }, 30_000);
    // The viewer asks for newer events every two seconds, and the service is about to stop.
    await page.close();
  } finally {
    await failing.stop();
  }
});

/** An account with one of everything, whose names are hostile. */
async function filled() {
  const account = await newClient(stack);
  const { client } = account;
  const made = (answer: Awaited<ReturnType<HttpClient["post"]>>) => {
    expect(answer.status, answer.text).toBe(201);
    return answer.body.data;
  };
  made(
    await client.post("/v1/events", {
      action: "invoice.update",
      actor: { id: HOSTILE, type: "user" },
    }),
  );
  made(await client.post("/v1/api-keys", { name: HOSTILE, scopes: ["verify"] }));
  const webhook = made(
    await client.post("/v1/webhooks", { url: URL_OF_NOBODY, events: ["event.verified"] }),
  );
  const one = made(await client.post("/v1/exports", { filter: { actor_id: HOSTILE } }));
  const token = { viewer: { id: "u_1", name: HOSTILE }, filter: { actor_id: HOSTILE } };
  made(await client.post("/v1/widget-tokens", token));
  await ended(client, one.id);
  return { ...account, webhookId: webhook.id as string };
}
