// GetEvent: one event by its id (interface 6).

import { complete, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { sequenceOfId } from "../rules/event-id.ts";
import { getEvent as getEventStatement } from "../../store/get-event.ts";
import { missingEvent } from "./missing-event.ts";
import { renderEvent } from "../render-event.ts";

interface Deps {
  readonly database: Pool;
}

export function getEvent(deps: Deps): ServiceImpl<typeof LedgerService>["getEvent"] {
  return async ({ accountId, id, includeProof }, { signal }) => {
    complete({ account_id: accountId, id });
    const sequence = sequenceOfId(id);
    if (sequence === undefined) throw notFound("event", id);
    const database = deps.database.forAccount(accountId, signal);
    const [row] = await database.run(getEventStatement, [accountId, String(sequence)]);
    if (row?.id !== id) throw await missingEvent(database, { accountId, id, sequence });
    return { event: renderEvent(row, { accountId, includeProof }) };
  };
}
