// ListEvents: one page of an account's events (interface 6).

import { complete, invalid } from "@annals/errors";
import { EventFilterSchema, type LedgerService } from "@annals/proto/ledger";
import { admissionOf } from "@annals/rpc";
import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { retainedAfter } from "../../search/read-events.ts";
import { type PageBounds, readPage } from "../../search/read-page.ts";
import { resolveFields } from "../../search/resolve-fields.ts";
import type { SearchTurns } from "../../search/search-turns.ts";
import { renderEvent } from "../render-event.ts";

const MAX_LIMIT = 100;

/** A page is read, encoded and decoded as a whole: larger pages would delay other requests. */
const BOUNDS: PageBounds = { rows: 20_000, textBytes: 4 * 1024 * 1024, bytes: 1024 * 1024 };

interface Deps {
  readonly searches: SearchTurns;
  /** Bounds of each page; by default {@link BOUNDS}. Tests need smaller ones. */
  readonly pageBounds?: PageBounds | undefined;
}

export function listEvents(deps: Deps): ServiceImpl<typeof LedgerService>["listEvents"] {
  const bounds = deps.pageBounds ?? BOUNDS;
  return async ({ accountId, filter, ascending, limit, includeProof }, context) => {
    complete({ account_id: accountId });
    if (limit < 1 || limit > MAX_LIMIT) {
      throw invalid({ field: "limit", message: `must be from 1 to ${MAX_LIMIT}` });
    }
    // Other services have no admission.
    const kind = admissionOf(context) ? "client" : "service";
    const database = deps.searches.of(accountId, kind, context.signal);
    const given = filter ?? create(EventFilterSchema);
    const page = await readPage(database, {
      accountId,
      filter: await resolveFields(database, accountId, given),
      ascending,
      limit,
      bounds,
    });
    const events = page.rows.map((row) => renderEvent(row, { accountId, includeProof }));
    const retainedFrom =
      kind === "service" ? await retainedAfter(database, accountId, 1n) : undefined;
    return { events, nextAfter: page.next, retainedFrom };
  };
}
