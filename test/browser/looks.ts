// What people who see or point differently find on a page: texts that are cut off, controls that are covered,
// borders and rings of the focus that are too faint. Used by the tests of how screens look. Everything is
// measured in the page itself, in shadow trees too. It must never change the page but for its scrolling and
// its focus.

import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { HELPERS } from "./looks-in-page.ts";

/** Windows, with 1,440 × 900 at 200 % zoom, and 1,280 × 1,024 at 400 %, as WCAG has it. */
export const WINDOWS = [
  { width: 1_440, height: 900 },
  { width: 720, height: 450 },
  { width: 390, height: 844 },
  { width: 320, height: 256 },
] as const;

/** The least contrast of what is no text, and the least width of a focus ring. */
const LEAST = 3;
const RING_PX = 2;
/** More stops than any screen has. */
const MOST_STOPS = 120;

const run = <T>(page: Page, body: string): Promise<T> =>
  page.evaluate<T>(`(() => { ${HELPERS} ${body} })()`);

/** Nothing is cut off or covered, and the page scrolls down alone. */
export async function expectWhole(page: Page, what: string): Promise<void> {
  const overflow = await run<number>(
    page,
    "const { scrollWidth, clientWidth } = document.documentElement; return scrollWidth - clientWidth;",
  );
  expect(overflow, `${what} scrolls to the side`).toBeLessThanOrEqual(0);
  expect(await run(page, "return cutTexts();"), `${what} cuts texts`).toEqual([]);
  expect(await run(page, "return coveredControls();"), `${what} covers controls`).toEqual([]);
}

/** Fields, buttons and bars stand out from what is behind them. */
export async function expectDistinct(page: Page, what: string): Promise<void> {
  expect(await run(page, `return faintControls(${LEAST});`), `${what} is faint`).toEqual([]);
}

interface Stop {
  readonly name: string;
  readonly width: number;
  readonly contrast: number;
}

/** Every stop of Tab has a ring that is seen. Returns how many stops there are. */
export async function expectFocusSeen(page: Page, what: string): Promise<number> {
  await run(page, "startAt(document.body);");
  const stops: Stop[] = [];
  for (let at = 0; at < MOST_STOPS; at += 1) {
    await page.keyboard.press("Tab");
    const stop = await run<Stop | null>(page, "return stopOf();");
    if (stop === null) break;
    stops.push(stop);
  }
  const faint = stops.filter(({ width, contrast }) => width < RING_PX || contrast < LEAST);
  expect(faint, `focus of ${what}`).toEqual([]);
  return stops.length;
}

/** Nothing moves for who has asked for less motion. */
export async function expectStill(page: Page): Promise<void> {
  expect(await run(page, "return moving();")).toEqual([]);
}

/** Pixels at the beginning of the element that `change` makes lighter or darker by the least contrast. */
export async function changedPixels(
  it: Locator,
  change: () => Promise<unknown>,
  most = Number.POSITIVE_INFINITY,
): Promise<number> {
  const page = it.page();
  const box = await it.boundingBox();
  if (!box) throw new Error("The element is not shown.");
  const clip = { ...box, width: Math.min(box.width, most) };
  const before = await page.screenshot({ clip });
  await change();
  return differing(page, before, await page.screenshot({ clip }));
}

/** Compares two pictures of one size in a page of its own, which no policy keeps from decoding them. */
async function differing(page: Page, before: Buffer, after: Buffer): Promise<number> {
  const blank = await page.context().newPage();
  try {
    const pictures = [before, after].map((png) => png.toString("base64"));
    return await run(blank, `return differingPixels(${JSON.stringify(pictures)}, ${LEAST});`);
  } finally {
    await blank.close();
  }
}
