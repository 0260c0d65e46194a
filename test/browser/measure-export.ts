// Measures the check of an export in the dashboard, in a real Chromium on a stack of its own: how long it
// takes, what the tab and the browser hold at most, how long the page is blocked. Files of 100 MB and of 250
// MB, the first cut off and with a changed event, and 100 MB that never were an export. docs/performance has
// the figures.
//
//   node deploy/local/bootstrap.mjs test/browser/measure-export.ts

import { Annals } from "@annals/sdk";
import { eventually, newAccount } from "@annals/testing";
import { createWriteStream } from "node:fs";
import { copyFile, mkdtemp, open, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Browser, Page } from "playwright-core";
import { startConstellation } from "../system/constellation.ts";
import { openBrowser } from "./chromium.ts";
import { INVOICE } from "./invoice.ts";
import { longestTasks } from "./longest-tasks.ts";

const SIZES_MB = [100, 250];
const MB = 1_000_000;
const BATCH = 500;
/** Of the line of an event with its proof. */
const LINE_BYTES = 1_410;
const WITHIN_MS = 600_000;

const say = (text: string) => process.stdout.write(`${text}\n`);

/** Appends until an export has about so many bytes, and downloads it. */
async function exported(annals: Annals, bytes: number, file: string): Promise<void> {
  const [newest] = await annals.events.list().toArray(1);
  for (let count = newest?.sequence_number ?? 0; count < bytes / LINE_BYTES; count += BATCH)
    await annals.events.createMany(Array.from({ length: BATCH }, () => INVOICE));
  const { id } = await annals.exports.create({ include_proofs: true });
  const isWritten = async () => (await annals.exports.get(id)).status === "completed";
  await eventually("the export", isWritten, WITHIN_MS);
  const { body } = await annals.exports.content(id);
  if (body) await pipeline(body, createWriteStream(file));
}

/** Most bytes that were resident, since the last reset. */
async function peakOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+)/.exec(text)?.[1] ?? 0) * 1_024;
}

async function check(browser: Browser, page: Page, file: string): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const processes = processInfo.filter(({ type }) => ["browser", "renderer"].includes(type));
  // Resets the peak (proc(5)).
  for (const { id } of processes) await writeFile(`/proc/${id}/clear_refs`, "5");
  const input = page.getByLabel("An export with proofs");
  await input.setInputFiles([]);
  await browser.startTracing(page, { categories: ["toplevel"] });
  const started = performance.now();
  await input.setInputFiles(file);
  const result = page.getByRole("region", { name: "Result of the check" });
  await result.getByText(file.split("/").at(-1) ?? "").waitFor({ timeout: WITHIN_MS });
  const seconds = (performance.now() - started) / 1_000;
  const { time, cpu } = longestTasks(await browser.stopTracing());
  const peaks = await Promise.all(
    processes.map(async ({ id, type }) => `${type} ${Math.round((await peakOf(id)) / MB)} MB`),
  );
  const { size } = await stat(file);
  say(`${(size / MB).toFixed(1)} MB: ${(await result.innerText()).split("\n").join(" ").trim()}`);
  say(`  ${seconds.toFixed(1)} s; most memory: ${peaks.toSorted().join(", ")}`);
  say(`  longest tasks ${time.join(", ")} ms, of CPU ${cpu.join(", ")} ms`);
  await session.detach();
}

/** The file with one letter of an event in its midst changed. */
async function changed(file: string, to: string): Promise<void> {
  await copyFile(file, to);
  const handle = await open(to, "r+");
  const at = Math.floor((await handle.stat()).size / 2);
  const { buffer } = await handle.read({ buffer: Buffer.alloc(4 * LINE_BYTES), position: at });
  await handle.write("B", at + buffer.indexOf('"Ada"') + 1);
  await handle.close();
}

const folder = await mkdtemp(join(tmpdir(), "annals-measure-"));
const stack = await startConstellation({ rateLimitPerMinute: 1_000_000 });
const baseUrl = stack.baseUrls[0] ?? "";
const browser = await openBrowser();
try {
  const { key } = await newAccount(stack.databaseUrl);
  const annals = new Annals({ baseUrl, apiKey: key });
  const page = await browser.newPage();
  await page.goto(`${baseUrl}/dashboard/#/exports`);
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Log in" }).click();
  const at = (name: string) => join(folder, name);
  for (const size of SIZES_MB) {
    await exported(annals, size * MB, at(`valid-${size}.jsonl`));
    await check(browser, page, at(`valid-${size}.jsonl`));
  }
  const valid = at(`valid-${SIZES_MB[0]}.jsonl`);
  await changed(valid, at("changed.jsonl"));
  await check(browser, page, at("changed.jsonl"));
  await copyFile(valid, at("cut.jsonl"));
  await truncate(at("cut.jsonl"), (await stat(valid)).size - 1_000_000);
  await check(browser, page, at("cut.jsonl"));
  await writeFile(at("zeros.csv"), Buffer.alloc(100 * MB));
  await check(browser, page, at("zeros.csv"));
  await writeFile(at("one-line.jsonl"), `{"a":"${"x".repeat(100 * MB)}"}`);
  await check(browser, page, at("one-line.jsonl"));
} finally {
  await browser.close();
  await stack.stop();
  await rm(folder, { recursive: true });
}
