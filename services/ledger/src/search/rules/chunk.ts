// Chunks of a chain, the unit of the filter index (0001_ledger.sql).

/**
 * Sequence numbers per chunk; the first chunk begins with 1. It must never change, because the stored chunks
 * were cut by it.
 */
export const CHUNK_SIZE = 4_096;

/** The chunk that a sequence number is in. */
export function chunkOf(sequenceNumber: number): number {
  return Math.floor((sequenceNumber - 1) / CHUNK_SIZE);
}
