// ListEvents: one page of an account's events (interface 4.2, docs/open-details.md).

import { complete, invalid } from "@annals/errors";
import type { Database } from "@annals/postgres";
import { EventFilterSchema, type LedgerService } from "@annals/proto/ledger";
import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { readPage } from "./read-page.ts";
import { renderEvent } from "./render-event.ts";

const MAX_LIMIT = 100;

interface Deps {
  readonly database: Database;
}

export function listEvents(deps: Deps): ServiceImpl<typeof LedgerService>["listEvents"] {
  return async ({ accountId, filter, ascending, limit, includeProof }) => {
    complete({ account_id: accountId });
    if (limit < 1 || limit > MAX_LIMIT) {
      throw invalid({ field: "limit", message: `must be from 1 to ${MAX_LIMIT}` });
    }
    // One more than the limit shows whether there is a next page.
    const rows = await readPage(deps.database, {
      accountId,
      filter: filter ?? create(EventFilterSchema),
      ascending,
      limit: limit + 1,
    });
    const events = rows.slice(0, limit).map((row) => renderEvent(row, { accountId, includeProof }));
    return { events, hasMore: rows.length > limit };
  };
}
