// ReadEvents: some events of an account by their numbers, for the webhook dispatcher. The response is
// bounded in bytes, however large the events are.

import { complete, invalid } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { readEvents as readEventsStatement } from "../store/read-events.ts";
import { renderEvent } from "../render-event.ts";

const MAX_EVENTS = 1_000;
/** Bytes of parts after which the response ends. The last event may exceed it. */
const MAX_BYTES = 1024 * 1024;

interface Deps {
  readonly database: Pool;
}

export function readEvents({ database }: Deps): ServiceImpl<typeof LedgerService>["readEvents"] {
  return async ({ accountId, sequenceNumbers }, { signal }) => {
    complete({ account_id: accountId });
    const { length } = sequenceNumbers;
    if (length < 1 || length > MAX_EVENTS) {
      const message = `must be from 1 to ${MAX_EVENTS} numbers`;
      throw invalid({ field: "sequence_numbers", message });
    }
    const own = database.forAccount(accountId, signal);
    const rows = await own.run(readEventsStatement, [accountId, sequenceNumbers, MAX_BYTES]);
    return {
      events: rows.map((row) => renderEvent(row, { accountId, includeProof: false })),
      hasMore: rows.length < (rows[0]?.found ?? 0),
    };
  };
}
