// ReportErasureMatches: the export service says which events of its archives an erasure selects.

import { complete, invalid } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import type { AppendQueue } from "../../append/append-queue.ts";
import { erasureId } from "../rules/erasure-id.ts";
import { reportMatches } from "../report-matches.ts";

/** Forty records, which are stored well within the deadline of a call. */
const MAX_SEQUENCES = 10_000;

interface Deps {
  readonly appends: Pick<AppendQueue, "record">;
  readonly database: Pool;
}

export function reportErasureMatches({
  appends,
  database,
}: Deps): ServiceImpl<typeof LedgerService>["reportErasureMatches"] {
  return async ({ accountId, erasureId: id, sequences, through }, { signal }) => {
    complete({ account_id: accountId, erasure_id: id });
    if (through < 0n) throw invalid({ field: "through", message: "must be 0 or a number" });
    const numbers = ascending(sequences);
    const report = { accountId, id: erasureId(id), numbers, through: Number(through) };
    const own = { appends, database: database.forAccount(accountId, signal) };
    await reportMatches(own, report, signal);
    return {};
  };
}

/** Throws `invalid`. */
function ascending(sequences: readonly bigint[]): number[] {
  const refuse = (message: string) => invalid({ field: "sequences", message });
  if (sequences.length > MAX_SEQUENCES)
    throw refuse(`must not be more than ${MAX_SEQUENCES} numbers`);
  const numbers = sequences.map(Number);
  if (
    !numbers.every((number, at) => Number.isSafeInteger(number) && number > (numbers[at - 1] ?? 0))
  )
    throw refuse("must be ascending, and positive");
  return numbers;
}
