// GetOutboxPositions: how far the outbox of each account reaches, in one statement.

import { invalid } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { ExportsService } from "@annals/proto/exports";
import type { ServiceImpl } from "@connectrpc/connect";
import { getOutboxPositions as statement } from "../store/get-outbox-positions.ts";

const MAX_ACCOUNTS = 1_000;

interface Deps {
  readonly database: Database;
}

export function getOutboxPositions(
  deps: Deps,
): ServiceImpl<typeof ExportsService>["getOutboxPositions"] {
  return async ({ accountIds }) => {
    if (accountIds.length > MAX_ACCOUNTS) {
      throw invalid({ field: "account_ids", message: `must be at most ${MAX_ACCOUNTS}` });
    }
    const rows = await deps.database.run(statement, [accountIds]);
    return { positions: rows.map(({ position }) => BigInt(position)) };
  };
}
