// Measures the viewer in a real Chromium on a stack of its own: the time to the first row, how long the page
// is blocked while 10,000 events are checked, and memory after 100,000 rows. docs/performance/history.md
// has the figures.
//
//   node deploy/local/bootstrap.mjs test/browser/measure.ts

import { HttpClient, newClient } from "@annals/testing";
import { gzipSync } from "node:zlib";
import type { Browser, CDPSession } from "playwright-core";
import { startConstellation } from "../system/constellation.ts";
import { openBrowser } from "./chromium.ts";
import { INVOICE } from "./invoice.ts";
import { longestTasks } from "./longest-tasks.ts";
import { held, scrollTo } from "./scrolling.ts";
import { openSite, TRUSTED_TYPES } from "./site.ts";

const EVENTS = 100_000;
const CHECKED = 10_000;
const BATCH = 100;
const SENDERS = 8;
const FIRST_ROWS = 7;
const LIMIT = 1_000_000;

const say = (text: string) => process.stdout.write(`${text}\n`);

async function fill(client: HttpClient): Promise<void> {
  let left = EVENTS / BATCH;
  const send = async () => {
    while (left > 0) {
      left -= 1;
      const { status } = await client.post("/v1/events/batch", {
        events: Array.from({ length: BATCH }, () => INVOICE),
      });
      if (status !== 201) throw new Error(`a batch was answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
}

async function measure(
  browser: Browser,
  host: "own" | "gateway",
  baseUrl: string,
  viewer: string,
  client: HttpClient,
): Promise<void> {
  const files: Record<string, { policy?: string; content: string }> = {
    "/viewer.js": { content: viewer },
    "/page.js": { content: PROBE },
  };
  const site = await openSite(files);
  const origins = [site.origin];
  const { token } = (await client.post("/v1/widget-tokens", { origins, parts: ["diff"] })).body
    .data;
  const source = host === "own" ? "/viewer.js" : `${baseUrl}/widget/viewer.js`;
  files["/"] = {
    policy: `default-src 'none'; script-src 'self' ${baseUrl}; connect-src ${baseUrl}; ${TRUSTED_TYPES}`,
    content: `<annals-viewer server="${baseUrl}" token="${token}" refresh-seconds="0"></annals-viewer>
      <script src="/page.js"></script><script type="module" src="${source}"></script>`,
  };
  const firsts: number[] = [];
  for (let load = 0; load < FIRST_ROWS; load += 1) {
    const page = await browser.newPage();
    await page.goto(`${site.origin}/`);
    firsts.push(await page.evaluate(() => Reflect.get(window, "firstRow") as Promise<number>));
    await page.close();
  }
  const sorted = firsts.toSorted((a, b) => a - b).map((ms) => Math.round(ms));
  say(`${host}: first row after ${sorted.join(", ")} ms, p50 ${sorted[3]} ms`);

  const page = await browser.newPage();
  await page.goto(`${site.origin}/`);
  const session = await page.context().newCDPSession(page);
  const started = performance.now();
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline"] });
  await scrollTo(page, CHECKED);
  const { time, cpu } = longestTasks(await browser.stopTracing());
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  say(`${host}: ${CHECKED} events loaded and checked in ${seconds} s`);
  say(`${host}: longest tasks ${time.join(", ")} ms, of CPU ${cpu.join(", ")} ms`);
  // Memory does not depend on where the proofs are checked.
  for (const rows of host === "own" ? [CHECKED, EVENTS / 2, EVENTS] : []) {
    await scrollTo(page, rows);
    say(`${host}: ${rows} rows: ${await memory(session)}`);
  }
  await page.close();
  site.close();
}

async function memory(session: CDPSession): Promise<string> {
  const { heapBytes, nodes } = await held(session);
  return `${(heapBytes / 1e6).toFixed(1)} MB of JavaScript heap, ${nodes} DOM nodes`;
}

/** In the page: when the first row is painted. */
const PROBE = `
  window.firstRow = new Promise((done) => {
    const look = () => {
      const row = document.querySelector("annals-viewer").shadowRoot?.querySelector(".body time");
      if (row) requestAnimationFrame(() => done(performance.now()));
      else requestAnimationFrame(look);
    };
    look();
  });
`;

const stack = await startConstellation({
  rateLimitPerMinute: LIMIT,
  env: {
    gateway: { ANNALS_WIDGET_RATE_LIMIT_PER_MINUTE: String(LIMIT) },
    keys: { ANNALS_WIDGET_RATE_LIMIT_PER_MINUTE: String(LIMIT) },
  },
});
const baseUrl = stack.baseUrls[0] ?? "";
const browser = await openBrowser();
try {
  const { client } = await newClient(stack);
  await fill(client);
  const { text: viewer } = await new HttpClient(baseUrl).get("/widget/viewer.js");
  say(`viewer.js: ${viewer.length} bytes, ${gzipSync(viewer).length} with gzip`);
  for (const host of ["own", "gateway"] as const)
    await measure(browser, host, baseUrl, viewer, client);
} finally {
  await browser.close();
  await stack.stop();
}
