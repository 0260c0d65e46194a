// ListOutbox: the completed exports of an account after a position, for the webhook dispatcher.

import type { Clock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import type { ExportsService } from "@annals/proto/exports";
import type { ServiceImpl } from "@connectrpc/connect";
import { OUTBOX } from "../store/outbox.ts";

interface Deps {
  readonly clock: Pick<Clock, "fault">;
  readonly database: Pool;
}

export function listOutbox({
  clock,
  database,
}: Deps): ServiceImpl<typeof ExportsService>["listOutbox"] {
  return async (request, { signal }) => ({
    entries: await OUTBOX.list(database.forAccount(request.accountId, signal), request, clock),
  });
}
