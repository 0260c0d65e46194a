// GetErasure: how far a request to erase is.

import { complete, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { erasureId } from "../rules/erasure-id.ts";
import { getErasure as getErasureStatement } from "../store/erasures.ts";
import { renderErasure } from "./render-erasure.ts";

interface Deps {
  readonly database: Pool;
}

export function getErasure({ database }: Deps): ServiceImpl<typeof LedgerService>["getErasure"] {
  return async ({ accountId, id }, { signal }) => {
    complete({ account_id: accountId, id });
    const own = database.forAccount(accountId, signal);
    const [row] = await own.run(getErasureStatement, [accountId, erasureId(id)]);
    if (!row) throw notFound("erasure", id);
    return { erasure: renderErasure(row) };
  };
}
