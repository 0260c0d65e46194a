// ListErasures: a page of an account's requests to erase, newest first.

import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import { keysetPage } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { listErasures as listErasuresStatement } from "../store/erasures.ts";
import { renderErasure } from "./render-erasure.ts";

interface Deps {
  readonly database: Pool;
}

export function listErasures({
  database,
}: Deps): ServiceImpl<typeof LedgerService>["listErasures"] {
  return async ({ accountId, after, limit }, { signal }) => {
    complete({ account_id: accountId });
    const own = database.forAccount(accountId, signal);
    const { next, rows } = await keysetPage({ after, limit }, "era_", (...params) =>
      own.run(listErasuresStatement, [accountId, ...params]),
    );
    return { erasures: rows.map(renderErasure), next };
  };
}
