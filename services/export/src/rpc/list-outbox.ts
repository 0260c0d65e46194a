// ListOutbox: what subscribers of an account are to be told of, after a position.

import { complete, invalid } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { ExportsService } from "@annals/proto/exports";
import type { ServiceImpl } from "@connectrpc/connect";
import { listOutbox as statement } from "../store/list-outbox.ts";

const MAX_LIMIT = 1_000;

interface Deps {
  readonly database: Database;
}

export function listOutbox(deps: Deps): ServiceImpl<typeof ExportsService>["listOutbox"] {
  return async ({ accountId, afterPosition, limit }) => {
    complete({ account_id: accountId });
    if (limit < 1 || limit > MAX_LIMIT) {
      throw invalid({ field: "limit", message: `must be from 1 to ${MAX_LIMIT}` });
    }
    const rows = await deps.database.run(statement, [accountId, String(afterPosition), limit]);
    return {
      entries: rows.map((row) => ({
        position: BigInt(row.position),
        eventName: row.event_name,
        data: row.data,
        createdAt: row.created_at,
      })),
    };
  };
}
