// Guarantee: the dashboard adds a workload with its claims, shows it, and deletes it after a question.

import { newClient } from "@annals/testing";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openBrowser } from "./chromium.ts";
import { expectUsable, openDashboard } from "./dashboard.ts";

const stack = inject("stack");
const { baseUrl } = stack;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test("a workload is added with its claims, shown, and deleted after a question", async () => {
  const { accountId, client, key } = await newClient(stack);
  const page = await openDashboard(browser, { baseUrl, key }, "workloads");
  const click = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const stored = async () => (await client.get("/v1/workloads")).body.data;
  await page.getByText("No workloads yet").waitFor();
  await page.getByLabel("Name").fill("collector");
  await page.getByLabel("Issuer").fill("cluster");
  await page.getByLabel("Subject").fill("system:serviceaccount:logging:*");
  await page.getByLabel("Further claims").fill("no pair");
  await click("Add workload");
  await page.getByText("Choose at least one scope.").waitFor();
  await page.getByRole("checkbox", { name: /^events:write/ }).check();
  await click("Add workload");
  await page.getByText("no pair is not a pair such as ref=main.").waitFor();
  expect(await stored()).toEqual([]);
  await page.getByLabel("Further claims").fill("repository_id=74, ref=refs/heads/a=b");
  await click("Add workload");
  await page.getByText("The workload is added.").waitFor();
  const claims = { repository_id: "74", ref: "refs/heads/a=b" };
  expect(await stored()).toMatchObject([{ name: "collector", claims, scopes: ["events:write"] }]);
  const row = page.getByRole("row", { name: "collector" });
  expect(await row.innerText()).toMatch(
    new RegExp(`cluster[^]*logging:\\*[^]*ref=refs/heads/a=b[^]*/${accountId}[^]*events:write`),
  );
  await page.setViewportSize({ width: 360, height: 900 });
  await expectUsable(page);
  await click("Delete collector");
  await click("Delete workload");
  await page.getByText("The workload is deleted.").waitFor();
  expect(await stored()).toEqual([]);
});
