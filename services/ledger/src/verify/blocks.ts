// Cuts a range of a chain into blocks, each within one chunk, and checks some of them concurrently. Called by
// verify-range.ts, verify-tree.ts and, for segments of the filter index, verify-index.ts. It must never hold
// more results than it was allowed to read ahead.

import { CHUNK_SIZE, chunkOf } from "../search/rules/chunk.ts";

/** Both ends are included. An empty chain has the range 1 to 0. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Yields the results in the order of the chain. PostgreSQL takes some 60 ms for a block, or about a second if
 * its events have the maximum size. Rejects with the first check that fails.
 */
export function inBlocks<Result>(
  range: Range,
  blocksAhead: number,
  check: (block: Range) => Promise<Result>,
): AsyncGenerator<{ readonly block: Range; readonly result: Result }> {
  return inTurn(blocksOf(range), blocksAhead, check);
}

/** The pieces of a range, each within one chunk. */
export function* blocksOf({ from, to }: Range): Generator<Range> {
  for (let next = from; next <= to;) {
    const block = { from: next, to: Math.min((chunkOf(next) + 1) * CHUNK_SIZE, to) };
    yield block;
    next = block.to + 1;
  }
}

/** The same for what is cut already. */
export async function* inTurn<Block, Result>(
  blocks: Iterable<Block>,
  blocksAhead: number,
  check: (block: Block) => Promise<Result>,
): AsyncGenerator<{ readonly block: Block; readonly result: Result }> {
  const ahead: { readonly block: Block; readonly checked: Promise<Result> }[] = [];
  const left = blocks[Symbol.iterator]();
  for (;;) {
    while (ahead.length < blocksAhead) {
      const { done, value: block } = left.next();
      if (done) break;
      const checked = check(block);
      // The await below rejects with the error. A block that is never awaited must not be an unhandled
      // rejection.
      checked.catch(() => {});
      ahead.push({ block, checked });
    }
    const first = ahead.shift();
    if (!first) return;
    yield { block: first.block, result: await first.checked };
  }
}
