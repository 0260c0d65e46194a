// ListOutbox: the completed exports of an account after a position, for the webhook dispatcher.

import type { Pool } from "@annals/postgres";
import type { ExportsService } from "@annals/proto/exports";
import type { ServiceImpl } from "@connectrpc/connect";
import { OUTBOX } from "../store/outbox.ts";

interface Deps {
  readonly database: Pool;
}

export function listOutbox({ database }: Deps): ServiceImpl<typeof ExportsService>["listOutbox"] {
  return async (request, { signal }) => ({
    entries: await OUTBOX.list(database.forAccount(request.accountId, signal), request),
  });
}
