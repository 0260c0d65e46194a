// Work in pieces, done at once. Imported by tests only.

import type { Work } from "@annals/contract";

export function atOnce<T>(work: Work<T>): T {
  let piece = work.next();
  while (piece.done !== true) piece = work.next();
  return piece.value;
}
