// ListOutbox: the finished verifications of an account after a position, for the webhook dispatcher.

import { complete, invalid } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { listOutbox as listOutboxStatement } from "../store/list-outbox.ts";

const MAX_LIMIT = 1_000;

interface Deps {
  readonly database: Database;
}

export function listOutbox(deps: Deps): ServiceImpl<typeof LedgerService>["listOutbox"] {
  return async ({ accountId, afterPosition, limit }) => {
    complete({ account_id: accountId });
    if (limit < 1 || limit > MAX_LIMIT) {
      throw invalid({ field: "limit", message: `must be from 1 to ${MAX_LIMIT}` });
    }
    const after = String(afterPosition);
    const rows = await deps.database.run(listOutboxStatement, [accountId, after, limit]);
    const entries = rows.map((row) => ({
      position: BigInt(row.position),
      eventName: row.event_name,
      data: row.data,
      createdAt: row.created_at,
    }));
    return { entries };
  };
}
