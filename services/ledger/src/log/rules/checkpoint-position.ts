// The position of an account's checkpoint among all of its checkpoints: the number of its epoch. In a log
// that follows another, it is above all positions of the other. Called by the RPCs for the webhook
// dispatcher, which compares positions with its cursors.

/** Maximum epochs of one log: with one each second, they last for 34,000 years. */
const MAX_EPOCHS = 2 ** 40;

interface EpochOfLog {
  /** 1 for the first log. */
  readonly log: number;
  readonly epoch: number;
}

export function checkpointPosition({ epoch, log }: EpochOfLog): bigint {
  return BigInt(log - 1) * BigInt(MAX_EPOCHS) + BigInt(epoch);
}

/** Returns the epoch of a log after which the checkpoints after a position begin. */
export function epochAfter(position: bigint, log: number): number {
  const first = checkpointPosition({ log, epoch: 0 });
  return position <= first ? 0 : Number(position - first);
}
