// GetOutboxPositions: how far the outbox of each account reaches, in one statement.

import type { Database } from "@annals/postgres";
import type { ExportsService } from "@annals/proto/exports";
import type { ServiceImpl } from "@connectrpc/connect";
import { OUTBOX } from "../store/outbox.ts";

interface Deps {
  readonly database: Database;
}

export function getOutboxPositions({
  database,
}: Deps): ServiceImpl<typeof ExportsService>["getOutboxPositions"] {
  return async ({ accountIds }) => ({ positions: await OUTBOX.positions(database, accountIds) });
}
