// ListHolds: a page of the active holds on the account's events, newest first. Its cursor is the record of
// its last hold.

import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import { pageBy, type PageKey } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { type HoldRow, listActiveHolds } from "../../store/holds.ts";
import { renderHold } from "./render-hold.ts";

const BY_RECORD: PageKey<HoldRow, string> = {
  first: String(Number.MAX_SAFE_INTEGER),
  of: (hold) => hold.placed_by,
  read: (text) => (/^[1-9]\d{0,15}$/.test(text) ? text : undefined),
};

interface Deps {
  readonly database: Pool;
}

export function listHolds({ database }: Deps): ServiceImpl<typeof LedgerService>["listHolds"] {
  return async ({ accountId, after, limit }, { signal }) => {
    complete({ account_id: accountId });
    const own = database.forAccount(accountId, signal);
    const { next, rows } = await pageBy({ after, limit }, BY_RECORD, (record, count) =>
      own.run(listActiveHolds, [accountId, record, count]),
    );
    return { holds: rows.map(renderHold), next };
  };
}
