// StreamEvents: every matching event of a range in ascending order, page by page in constant
// memory. For other services; no client of the interface reaches it.

import { complete } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { listEventsAscending } from "../store/list-events.ts";
import { listParams } from "./list-params.ts";
import { renderEvent } from "./render-event.ts";

/** Events that are read at a time. */
const PAGE_SIZE = 200;
/**
 * Events of one message: of the largest allowed size they stay well under its limit, and a reader holds few
 * at a time.
 */
const MESSAGE_SIZE = 50;

interface Deps {
  readonly database: Database;
}

export function streamEvents(deps: Deps): ServiceImpl<typeof LedgerService>["streamEvents"] {
  return async function* ({ accountId, filter, includeProof }, { signal }) {
    complete({ account_id: accountId });
    let page = listParams(accountId, filter, PAGE_SIZE);
    for (;;) {
      // A stream that simply ended here would look whole to its reader.
      signal.throwIfAborted();
      const rows = await deps.database.run(listEventsAscending, page);
      for (let from = 0; from < rows.length; from += MESSAGE_SIZE) {
        const some = rows.slice(from, from + MESSAGE_SIZE);
        yield { events: some.map((row) => renderEvent(row, { accountId, includeProof })) };
      }
      const last = rows.at(-1);
      if (!last || rows.length < PAGE_SIZE) return;
      const [account, , ...rest] = page;
      page = [account, last.sequence_number, ...rest];
    }
  };
}
