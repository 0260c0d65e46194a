// Finds the name that a misspelled one was meant to be, for "did you mean". Called by setting-names.ts and by
// libs/cli.

/** The known name with the fewest edits, at most `maxEdits`. */
export function nearest(
  name: string,
  known: readonly string[],
  maxEdits: number,
): string | undefined {
  const [best] = known
    .map((each) => ({ each, edits: editsBetween(name, each) }))
    .toSorted((a, b) => a.edits - b.edits);
  return best !== undefined && best.edits <= maxEdits ? best.each : undefined;
}

/** The Levenshtein distance: insertions, deletions and replacements of single characters. */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let at = 0; at < from.length; at++) {
    const next = [at + 1];
    for (let column = 0; column < to.length; column++) {
      const replaced = (row[column] ?? 0) + (from[at] === to[column] ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
