// Scrolls the viewer down as a reader does who looks for old events, and says what the page holds then.
// Used by viewer-bounds.test.ts and measure.ts.

import type { CDPSession, Page } from "playwright-core";

/** Scrolls on until so many rows are loaded, and their kept events are verified. */
export async function scrollTo(page: Page, rows: number): Promise<void> {
  await page.evaluate(async (wanted) => {
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
  await page.getByText(/^All [\d,]+ loaded events are verified$/).waitFor();
}

/** What is left after a collection: detached nodes count too, for as long as something keeps them. */
export async function held(session: CDPSession): Promise<{ heapBytes: number; nodes: number }> {
  await session.send("Performance.enable");
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const value = (name: string) => metrics.find((each) => each.name === name)?.value ?? 0;
  return { heapBytes: value("JSHeapUsedSize"), nodes: value("Nodes") };
}
