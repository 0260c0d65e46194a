// Sorts the names of a large object a piece at a time. Called by canonical-pieces.ts. It must sort as
// `Array.prototype.sort` does without a comparator: by UTF-16 code units, as RFC 8785 3.2.3 has it.

/** Work of a piece: characters of names, which may have to be compared to their end, and their number. */
const PIECE_COST = 64 * 1024;
/** What a name costs besides its characters. */
const NAME_COST = 32;

const costOf = (name: string): number => name.length + NAME_COST;

/** Sorts few names in place. Yields an empty text after each piece. */
export function* sortInPieces(names: string[]): Generator<string, readonly string[]> {
  let runs = runsOf(names);
  if (runs.length === 1) return names.sort();
  for (const run of runs) {
    run.sort();
    yield "";
  }
  while (runs.length > 1) {
    const merged: string[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(yield* merge(runs[at] ?? [], runs[at + 1] ?? []));
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Names that follow each other, and cost about a piece. */
function runsOf(names: string[]): string[][] {
  const runs: string[][] = [];
  let from = 0;
  let cost = 0;
  for (const [index, name] of names.entries()) {
    cost += costOf(name);
    if (cost < PIECE_COST) continue;
    runs.push(names.slice(from, index + 1));
    from = index + 1;
    cost = 0;
  }
  if (runs.length === 0) return [names];
  if (from < names.length) runs.push(names.slice(from));
  return runs;
}

function* merge(left: readonly string[], right: readonly string[]): Generator<string, string[]> {
  const merged: string[] = [];
  let [atLeft, atRight, cost] = [0, 0, 0];
  while (atLeft < left.length || atRight < right.length) {
    const [ofLeft, ofRight] = [left[atLeft], right[atRight]];
    const isLeft = ofRight === undefined || (ofLeft !== undefined && ofLeft <= ofRight);
    const name = (isLeft ? ofLeft : ofRight) as string;
    if (isLeft) atLeft += 1;
    else atRight += 1;
    merged.push(name);
    cost += costOf(name);
    if (cost < PIECE_COST) continue;
    cost = 0;
    yield "";
  }
  return merged;
}
