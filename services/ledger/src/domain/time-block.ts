// The size of the blocks of ledger.time_blocks (0003_time-blocks.sql), for the statements that write
// and read them. It must never change: what is stored was cut by it.

/** Sequence numbers of a block; the first block begins with 1. */
export const TIME_BLOCK_SIZE = 1_024;
