// Guarantee: the counts of `<annals-viewer>` that follow a live list are those that a reload would show, in
// whatever order events are stored, the list gets them, and counts are answered. No event is counted twice.

import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import type { Histogram, ProvenEvent, WidgetClient } from "../../packages/viewer/src/client.ts";
import { Counts } from "../../packages/viewer/src/counts.ts";

const HOUR_MS = 3_600_000;
const START = Date.parse("2026-11-01T00:00:00Z");
/** More hours than bars are shown before they are counted again. */
const HOURS = 200;

interface Stored {
  readonly number: number;
  readonly time: number;
  readonly outcome: string;
}

interface Query {
  readonly outcome?: string;
  readonly before_sequence?: number;
}

afterEach(() => vi.useRealTimers());

/** What the service counts of a log, by the hour. */
function histogramOf(log: readonly Stored[], query: Query): Histogram {
  const { outcome, before_sequence: before = Infinity } = query;
  const matching = log.filter(
    (event) => event.number < before && (outcome === undefined || event.outcome === outcome),
  );
  const counts = new Map<number, number>();
  for (const { time } of matching) {
    const hour = Math.floor(time / HOUR_MS) * HOUR_MS;
    counts.set(hour, (counts.get(hour) ?? 0) + 1);
  }
  const data = [...counts]
    .toSorted(([one], [other]) => one - other)
    .map(([hour, count]) => ({ time: new Date(hour).toISOString(), count }));
  return { data, total: matching.length, interval: "1h", complete: true, next_cursor: null };
}

/** A log, the list that shows it, and counts whose answers come when the test says so. */
class Page {
  readonly log: Stored[] = [];
  listed = 0;
  asked = 0;
  readonly #open: (() => void)[] = [];
  readonly counts = this.count();

  count(): Counts {
    const client = {
      histogram: (query: Query) => {
        this.asked += 1;
        return new Promise<Histogram>((answer) => {
          this.#open.push(() => answer(histogramOf(this.log, query)));
        });
      },
    };
    return new Counts({
      client: client as unknown as WidgetClient,
      filter: {},
      zone: "utc",
      facets: [],
      refused: { all: false, failures: false, facets: false },
      hasOutcome: () => this.listed > 0,
      newest: () => this.listed,
      signal: new AbortController().signal,
      onChange: () => {},
    });
  }

  store(hour: number, outcome: string): void {
    this.log.push({ number: this.log.length + 1, time: START + hour * HOUR_MS, outcome });
  }

  poll(): void {
    const newer = this.log.slice(this.listed);
    this.listed = this.log.length;
    if (newer.length === 0) return;
    this.counts.add(
      newer.map(({ number, outcome, time }) => {
        const occurred_at = new Date(time).toISOString();
        return { sequence_number: number, occurred_at, metadata: { outcome } };
      }) as unknown as ProvenEvent[],
    );
  }

  async answer(): Promise<void> {
    this.#open.shift()?.();
    await settled();
  }

  async answerAll(): Promise<void> {
    while (this.#open.length > 0) await this.answer();
  }
}

/** Whatever was answered has been taken in. */
const settled = () => new Promise<void>((done) => void setImmediate(done));

const hour = fc.integer({ min: 0, max: HOURS });
const storing = fc.record({ hour, outcome: fc.constantFrom("success", "failure") });
const steps = fc.array(fc.oneof(storing, fc.constantFrom("poll" as const, "answer" as const)), {
  maxLength: 40,
});

test("after live events the counts equal those of a reload", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  await fc.assert(
    fc.asyncProperty(fc.array(storing, { maxLength: 5 }), steps, async (first, then) => {
      const page = new Page();
      for (const { hour: at, outcome } of first) page.store(at, outcome);
      page.listed = page.log.length;
      page.counts.start();
      for (const step of then)
        if (step === "poll") page.poll();
        else if (step === "answer") await page.answer();
        else page.store(step.hour, step.outcome);
      await page.answerAll();
      page.poll();
      await page.answerAll();
      // What could not be added is counted again, half a minute later.
      vi.advanceTimersByTime(30_000);
      page.counts.follow();
      await page.answerAll();

      const reloaded = page.count();
      reloaded.start();
      await settled();
      await page.answerAll();
      expect(page.counts.bars).toEqual(reloaded.bars);
    }),
  );
});

test("events that the list gets are added without a request, and those far from all others soon", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const page = new Page();
  page.store(1, "success");
  page.listed = 1;
  page.counts.start();
  await page.answerAll();
  const { asked } = page;
  for (let at = 0; at < 10; at += 1) {
    page.store(at, "failure");
    page.poll();
    vi.advanceTimersByTime(2_000);
    page.counts.follow();
  }
  expect(page.asked).toBe(asked);
  expect(page.counts.bars).toMatchObject({ total: 11, failures: 10 });
  for (let at = 0; at < 10; at += 1) {
    page.store(HOURS + at, "success");
    page.poll();
    await page.answerAll();
    vi.advanceTimersByTime(2_000);
    page.counts.follow();
    await page.answerAll();
  }
  // At once, and not again for half a minute: of all events, and of failures.
  expect(page.asked).toBe(asked + 2);
  expect(page.counts.bars?.total).toBe(21);
});
