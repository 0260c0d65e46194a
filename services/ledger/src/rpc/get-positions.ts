// GetPositions: how far chains and outboxes reach, for consumers to compare with their cursors. Called often;
// it must stay cheap.

import { invalid } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { getPositions as getPositionsStatement } from "../store/get-positions.ts";

const MAX_ACCOUNTS = 1_000;

interface Deps {
  readonly database: Database;
}

export function getPositions(deps: Deps): ServiceImpl<typeof LedgerService>["getPositions"] {
  return async ({ accountIds }) => {
    if (accountIds.length > MAX_ACCOUNTS) {
      throw invalid({ field: "account_ids", message: `must be at most ${MAX_ACCOUNTS}` });
    }
    const rows = await deps.database.run(getPositionsStatement, [accountIds]);
    const positions = rows.map((row) => ({
      headSequenceNumber: BigInt(row.head_sequence_number),
      outbox: BigInt(row.outbox),
    }));
    return { positions };
  };
}
