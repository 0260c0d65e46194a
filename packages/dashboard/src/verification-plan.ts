// Divides the verification of a chain into requests, so that its progress can be shown. Called by the
// verification screen. Each request is a verification of its own: it checks also the link to the event before
// its range.

/** Events of one request: a fraction of a second of work. */
const PIECE = 5_000;

/** The most pieces, whatever the length of the chain: a key has a limit of requests. */
const MAX_PIECES = 20;

export interface Piece {
  readonly from: number;
  /** Undefined for the last piece: it ends at the head, which is compared then. */
  readonly to: number | undefined;
}

/** The pieces of a chain from `from` to its head. */
export function piecesOf(from: number, head: number): Piece[] {
  const events = head - from + 1;
  const count = Math.min(MAX_PIECES, Math.max(1, Math.ceil(events / PIECE)));
  const size = Math.ceil(events / count);
  return Array.from({ length: count }, (_, at) => ({
    from: from + at * size,
    to: at === count - 1 ? undefined : from + (at + 1) * size - 1,
  })).filter((piece) => piece.from <= head);
}
