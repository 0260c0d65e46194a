// The order of texts in PostgreSQL with the collation C. Used wherever a service compares what a statement
// has sorted, or finds ranges that an index has.

/** Compares the UTF-8 of two texts: negative if the first one comes first. */
export function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
