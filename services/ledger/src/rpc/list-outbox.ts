// ListOutbox: the finished verifications of an account after a position, for the webhook dispatcher.

import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { OUTBOX } from "../store/outbox.ts";

interface Deps {
  readonly database: Pool;
}

export function listOutbox({ database }: Deps): ServiceImpl<typeof LedgerService>["listOutbox"] {
  return async (request, { signal }) => ({
    entries: await OUTBOX.list(database.forAccount(request.accountId, signal), request),
  });
}
