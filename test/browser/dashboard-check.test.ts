// Guarantee: the dashboard checks an export of several megabytes as the command does, without blocking the
// page, counts what is erased, and does not read another file to its end. measure-export.ts measures it
// with 100 MB.

import { newClient } from "@annals/testing";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { erasure, recordedChain } from "../verifiers/made-erasure.ts";
import { chainOf, exportOf } from "../verifiers/made-export.ts";
import { openBrowser } from "./chromium.ts";
import { openDashboard } from "./dashboard.ts";
import { longestTasks } from "./longest-tasks.ts";

const EVENTS = 4_000;
const unrecorded = recordedChain("acct_1", { action: "a", metadata: {} }, { 1: ["actor"] });
const MAX_TASK_MS = 50;
const stack = inject("stack");

test("a file of several megabytes, the same with a changed event, and one long line", async () => {
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  const { key } = await newClient(stack);
  const page = await openDashboard(browser, { baseUrl: stack.baseUrl, key }, "exports");
  const parts = Array.from({ length: EVENTS }, (_, n) => ({ n }));
  const valid = exportOf(chainOf("acct_1", parts));
  expect(valid.length).toBeGreaterThan(4_000_000);
  const folder = await mkdtemp(join(tmpdir(), "annals-check-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const check = async (name: string, text: string) => {
    const file = join(folder, name);
    await writeFile(file, text);
    await page.getByLabel("An export with proofs").setInputFiles(file);
    const result = page.getByRole("region", { name: "Result of the check" });
    await result.getByText(name).waitFor();
    return result.innerText();
  };
  await browser.startTracing(page, { categories: ["toplevel"] });
  expect(await check("valid", valid)).toMatch(/^verified[^]*4,000, each hash[^]*4,000 checked/);
  const { cpu } = longestTasks(await browser.stopTracing());
  expect(cpu).toHaveLength(5);
  expect(Math.max(...cpu)).toBeLessThan(MAX_TASK_MS);
  expect(await check("changed", valid.replace('"n":3000}', '"n":3001}'))).toContain(
    "Line 3001: sequence number 3001: digest_mismatch in metadata",
  );
  const erased = recordedChain(
    "acct_1",
    { action: "annals.erasure", metadata: erasure("1-2") },
    { 1: ["actor"], 2: ["actor"] },
  );
  expect(await check("recorded", exportOf(erased))).toMatch(
    /^verified[^]*Erased parts\s+2\. A later record of the file names each\./,
  );
  expect(await check("filtered", exportOf(unrecorded, { filter: { action: "a" } }))).toMatch(
    /^verified[^]*Erased parts\s+1\. The file has no record of 1 of them\./,
  );
  expect(await check("lacking", exportOf(unrecorded))).toContain(
    "sequence number 1: erasure_unrecorded in actor",
  );
  const progress = page.evaluate(() => {
    const { promise, resolve } = Promise.withResolvers<number>();
    let most = 0;
    new MutationObserver(() => {
      const bar = document.querySelector<HTMLProgressElement>("#transfer");
      if (bar) most = Math.max(most, bar.value);
      if (document.body.innerText.includes("is too long")) resolve(most);
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
    return promise;
  });
  const line = `{"a":"${"x".repeat(30_000_000)}"}`;
  expect(await check("one line", line)).toContain("Line 1: is too long");
  expect(await progress).toBeLessThan(10_000_000);
});
