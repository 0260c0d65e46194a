// Moves the cursor of a locked sink over the event that its receiver refuses, if that is the one that was
// named. Called by rpc/skip-sink-record.ts and by the command for sinks of the operator.

import type { Database } from "@annals/postgres";
import { type LostRange, withLost } from "../rules/sink.ts";
import { afterSkip, readRefusals, refusalsText, type Rejected } from "../rules/sink-refusals.ts";
import { type RefusalRow, skipRecord } from "./sink-refusals.ts";

interface By {
  readonly accountId: string;
  readonly now: string;
  /** The id of the key that asked for it. */
  readonly updatedBy: string | null;
}

/** Resolves to the event, or to why it is another one. */
export async function skipNamed(
  transaction: Database,
  row: RefusalRow,
  named: bigint,
  { accountId, now, updatedBy }: By,
): Promise<Rejected | string> {
  const refusals = readRefusals(row.refusals);
  const { rejected } = refusals;
  if (!rejected) return "names no event that the receiver refuses: the status has rejected null";
  const { sequence_number: number } = rejected;
  if (BigInt(number) !== named)
    return `must be ${number}, which is the event that the receiver refuses`;
  const ranges = JSON.parse(row.lost ?? "[]") as LostRange[];
  const range = { from: number, to: number, reason: "rejected", isUntold: true } as const;
  const texts = [
    JSON.stringify(withLost(ranges, range)),
    refusalsText(afterSkip(refusals)),
  ] as const;
  await transaction.run(skipRecord, [accountId, row.id, String(number), ...texts, now, updatedBy]);
  return rejected;
}
