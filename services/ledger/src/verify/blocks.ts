// Cuts a range of a chain into blocks, each within one chunk, and checks some of them concurrently. Called by
// verify-range.ts and verify-index.ts. It must never hold more results than it was allowed to read ahead.

import { CHUNK_SIZE, chunkOf } from "../domain/chunk.ts";

/** Both ends included. An empty chain has the range 1 to 0. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * The results in the order of the chain. A statement takes some 60 ms of PostgreSQL for a block, a second or
 * so where events are of the largest size. The first check that fails rejects.
 */
export async function* inBlocks<Result>(
  { from, to }: Range,
  blocksAhead: number,
  check: (block: Range) => Promise<Result>,
): AsyncGenerator<{ readonly block: Range; readonly result: Result }> {
  const ahead: { readonly block: Range; readonly checked: Promise<Result> }[] = [];
  let next = from;
  for (;;) {
    while (ahead.length < blocksAhead && next <= to) {
      const block = { from: next, to: Math.min((chunkOf(next) + 1) * CHUNK_SIZE, to) };
      const checked = check(block);
      // The await below rejects with it. A block that is never awaited must not be an unhandled rejection.
      checked.catch(() => {});
      ahead.push({ block, checked });
      next = block.to + 1;
    }
    const first = ahead.shift();
    if (!first) return;
    yield { block: first.block, result: await first.checked };
  }
}
