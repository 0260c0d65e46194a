// ListOutbox: the completed exports of an account after a position, for the webhook dispatcher.

import type { Database } from "@annals/postgres";
import type { ExportsService } from "@annals/proto/exports";
import type { ServiceImpl } from "@connectrpc/connect";
import { OUTBOX } from "../store/outbox.ts";

interface Deps {
  readonly database: Database;
}

export function listOutbox({ database }: Deps): ServiceImpl<typeof ExportsService>["listOutbox"] {
  return async (request) => ({ entries: await OUTBOX.list(database, request) });
}
