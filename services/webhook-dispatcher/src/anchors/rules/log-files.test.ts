// Guarantees: an upload in steps makes every file of the log, each once, and at each checkpoint the partial
// ones that it needs.

import { TILE_WIDTH, tilePath, tilesOf } from "@annals/tlog";
import { expect, test } from "vitest";
import { endOfStep, filesBetween } from "./log-files.ts";

const pathsOf = (from: number, to: number) => [...filesBetween(from, to)].map(tilePath);

/** All files of a log. */
function whole(size: number): string[] {
  return [...tilesOf(size)].flatMap((tile) => {
    const entries = { ...tile, level: "entries" } as const;
    return tile.level === 0 ? [tilePath(tile), tilePath(entries)] : [tilePath(tile)];
  });
}

const SIZES = [1, 255, 256, 257, 512, 16_384, 16_385, 65_535, 65_536, 65_537, 70_000];

test.each(SIZES)("a log of %i entries is complete at once", (size) => {
  expect(pathsOf(0, size).toSorted()).toEqual(whole(size).toSorted());
});

test.each(SIZES)(
  "a log of %i entries is complete after steps, and no full file is made twice",
  (size) => {
    const made: string[] = [];
    let steps = 0;
    for (let from = 0; from < size; steps += 1) {
      const to = endOfStep(from, size);
      expect(to - from).toBeLessThanOrEqual(16_384);
      expect(to).toBeGreaterThan(from);
      const files = [...filesBetween(from, to)];
      made.push(...files.filter(({ width }) => width === TILE_WIDTH || to === size).map(tilePath));
      from = to;
    }
    expect(made.toSorted()).toEqual(whole(size).toSorted());
    expect(steps).toBe(Math.ceil(size / 16_384));
  },
);

test("what a checkpoint adds to an earlier one has the tile that was partial, from its beginning", () => {
  expect(pathsOf(300, 530)).toEqual([
    "tile/0/001",
    "tile/entries/001",
    "tile/0/002.p/18",
    "tile/entries/002.p/18",
    "tile/1/000.p/2",
  ]);
  expect(pathsOf(256, 257)).toEqual(["tile/0/001.p/1", "tile/entries/001.p/1", "tile/1/000.p/1"]);
});
