// Ranges of sequence numbers, or of chunks, and the windows in which they are read. Called by the searches.

/** Both ends are included. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export function isEmpty({ from, to }: Range): boolean {
  return from > to;
}

export function clip(one: Range, other: Range): Range {
  return { from: Math.max(one.from, other.from), to: Math.min(one.to, other.to) };
}

/** Size of the first window, and maximum size of each. */
export interface Sizes {
  readonly first: number;
  readonly most: number;
}

const GROWTH = 8;

/** The windows of a range in the order of a search, each larger than the previous one. */
export function* inWindows(
  range: Range,
  ascending: boolean,
  { first, most }: Sizes,
): Generator<Range> {
  let { from, to } = range;
  for (let size = first; from <= to; size = Math.min(size * GROWTH, most)) {
    const window = ascending
      ? { from, to: Math.min(to, from + size - 1) }
      : { from: Math.max(from, to - size + 1), to };
    yield window;
    if (ascending) from = window.to + 1;
    else to = window.from - 1;
  }
}

/** All numbers of a range, ascending. */
export function numbersOf({ from, to }: Range): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
}

/** Puts ascending numbers, or segments, into the order of a search. */
export function inOrder<Item>(items: readonly Item[], ascending: boolean): readonly Item[] {
  return ascending ? items : items.toReversed();
}
