// Guarantee: `<annals-viewer>` stays within bounds. What the page holds does not grow with the rows that were
// read. A reader who makes more requests than a token may is told when it goes on, and it does so alone.

import { ownerOf } from "@annals/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openBrowser } from "./chromium.ts";
import { embed } from "./embed.ts";
import { accountWith } from "./events.ts";
import { INVOICE } from "./invoice.ts";
import { held, scrollTo } from "./scrolling.ts";

const stack = inject("stack");
const { baseUrl } = stack;

/** Pages of 100. From 20 on the viewer forgets as many as it loads. */
const FULL_ROWS = 2_000;
const ROWS = 4_500;
/** Less than four nodes for each page that was read. */
const SPARE_NODES = 90;
const SPARE_BYTES = 500_000;

const LIMIT = 120;
const WINDOW_S = 60;
/** Before a poll for new events is due again. */
const SOON_MS = 8_000;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test("DOM nodes do not grow with the rows that were read, nor does memory", async () => {
  const { client } = await accountWith(stack, ROWS);
  const { page } = await embed(browser, { baseUrl, client, attributes: "refresh-seconds='0'" });
  const session = await page.context().newCDPSession(page);
  await scrollTo(page, FULL_ROWS);
  const full = await held(session);
  await scrollTo(page, ROWS);
  const { nodes, heapBytes } = await held(session);
  expect(nodes - full.nodes).toBeLessThan(SPARE_NODES);
  expect(heapBytes - full.heapBytes).toBeLessThan(SPARE_BYTES);
});

/** The statuses of the widget's answers to the page, as they come. */
function answersTo(page: Page): number[] {
  const statuses: number[] = [];
  page.on("response", (response) => {
    if (response.url().includes("/v1/widget/events")) statuses.push(response.status());
  });
  return statuses;
}

test.each([
  ["that reads on", 0, "All 200 loaded events are verified"],
  ["that looks for new events", 50, "All 101 loaded events are verified"],
])(
  "after the 120 requests of a minute a viewer %s says when it retries, and does",
  async (_, refreshSeconds, retried) => {
    const { client } = await accountWith(stack, refreshSeconds === 0 ? 300 : 100);
    const { page, viewer, token, tokenId } = await embed(browser, {
      baseUrl,
      client,
      attributes: `refresh-seconds="${refreshSeconds}"`,
      page: { expected: /429/ },
      hasClock: true,
    });
    await viewer.getByText("All 100 loaded events are verified").waitFor();
    const reader = client.as(token);
    for (let sent = 0; sent < LIMIT; sent += 1) await reader.get("/v1/widget/events/none");
    const refused = await reader.get("/v1/widget/events/none");
    expect(refused.status).toBe(429);

    const statuses = answersTo(page);
    if (refreshSeconds === 0) await scrollDown(page);
    else await page.clock.fastForward(refreshSeconds * 1_000);
    const alert = viewer.getByRole("alert");
    const seconds = async () => Number(/Retrying in (\d+) s/.exec(await alert.innerText())?.[1]);
    const waits = await seconds();
    expect(waits).toBeGreaterThan(WINDOW_S / 2);
    expect(waits).toBeLessThanOrEqual(Number(refused.headers["retry-after"]));

    // Whatever is due meanwhile asks for nothing.
    await page.clock.fastForward((waits - 20) * 1_000);
    expect(await seconds()).toBe(waits);
    expect(statuses).toEqual([429]);

    if (refreshSeconds > 0) await client.post("/v1/events", INVOICE);
    await nextWindow(tokenId);
    await page.clock.fastForward(20_000);
    await alert.waitFor({ state: "detached", timeout: SOON_MS });
    await page.clock.fastForward(refreshSeconds * 1_000);
    await viewer.getByText(retried).waitFor();
    expect(statuses.slice(1)).not.toContain(429);
  },
);

function scrollDown(page: Page): Promise<void> {
  return page.evaluate(() => {
    const grid = document.querySelector("annals-viewer")?.shadowRoot?.querySelector(".grid");
    if (grid) grid.scrollTop = grid.scrollHeight;
  });
}

/** The service's clock is that of PostgreSQL: the window of the token began a minute earlier. */
async function nextWindow(tokenId: string): Promise<void> {
  const owner = ownerOf(stack.databaseUrl);
  await owner.query(
    "UPDATE keys.rate_windows SET started_at = started_at - make_interval(secs => $2) WHERE key_id = $1",
    [tokenId, WINDOW_S],
  );
  await owner.close();
}
