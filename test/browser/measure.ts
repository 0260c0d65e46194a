// Measures the viewer in a real Chromium on a stack of its own: the time to the first row, how long the page
// is blocked while 10,000 events are checked, and memory after 100,000 rows. docs/performance has the
// figures.
//
//   node deploy/local/bootstrap.mjs test/browser/measure.ts

import { HttpClient, newClient } from "@annals/testing";
import { gzipSync } from "node:zlib";
import type { Browser, CDPSession, Page } from "playwright-core";
import { startConstellation } from "../constellation.ts";
import { openBrowser } from "./chromium.ts";
import { INVOICE } from "./invoice.ts";
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
  await page.getByText(/^All [\d,]+ loaded events are verified$/).waitFor();
  const tasks = longestTasks((await browser.stopTracing()).toString());
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  say(`${host}: ${CHECKED} events loaded and checked in ${seconds} s; longest tasks ${tasks}`);
  // Memory does not depend on where the proofs are checked.
  for (const rows of host === "own" ? [CHECKED, EVENTS / 2, EVENTS] : []) {
    await scrollTo(page, rows);
    say(`${host}: ${rows} rows: ${await memory(session)}`);
  }
  await page.close();
  site.close();
}

/** Scrolls on until so many rows are loaded. */
function scrollTo(page: Page, rows: number): Promise<unknown> {
  return page.evaluate(async (wanted) => {
    const root = document.querySelector("annals-viewer")?.shadowRoot;
    for (;;) {
      const grid = root?.querySelector(".grid");
      const height = root?.querySelector(".body .row")?.getBoundingClientRect().height ?? 0;
      if (grid && height > 0 && grid.scrollHeight / height >= wanted) return;
      const fault = root?.querySelector("[role=alert]");
      if (fault) throw new Error(fault.textContent ?? "");
      if (grid) grid.scrollTop = grid.scrollHeight;
      await new Promise((next) => {
        requestAnimationFrame(next);
      });
    }
  }, rows);
}

/**
 * Of the page's main thread, in milliseconds: those of the longest duration, and those of the most CPU. On a
 * machine that does other work too, only the second are the page's own.
 */
function longestTasks(trace: string): string {
  const { traceEvents } = JSON.parse(trace) as {
    traceEvents: {
      name: string;
      tid: number;
      dur?: number;
      tdur?: number;
      args: { name?: string };
    }[];
  };
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
      .map(({ tid }) => tid),
  );
  const tasks = traceEvents.filter(({ name, tid }) => name.endsWith("RunTask") && mains.has(tid));
  const longest = (of: (task: (typeof tasks)[number]) => number | undefined) =>
    tasks
      .map((task) => (of(task) ?? 0) / 1000)
      .toSorted((a, b) => b - a)
      .slice(0, 5)
      .map((ms) => ms.toFixed(0))
      .join(", ");
  return `${longest(({ dur }) => dur)} ms, of CPU ${longest(({ tdur }) => tdur)} ms`;
}

async function memory(session: CDPSession): Promise<string> {
  await session.send("HeapProfiler.collectGarbage");
  await session.send("Performance.enable");
  const { metrics } = await session.send("Performance.getMetrics");
  const value = (name: string) => metrics.find((each) => each.name === name)?.value ?? 0;
  return `${(value("JSHeapUsedSize") / 1e6).toFixed(1)} MB of JavaScript heap, ${value("Nodes")} DOM nodes`;
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
