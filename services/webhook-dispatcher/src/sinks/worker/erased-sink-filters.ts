// Takes an erased value out of the filters of sinks. Called by deliveries/worker/erased-copies.ts before it
// confirms an erasure. A sink must never get more events by that: a member that has no value left matches
// none.

import type { Database } from "@annals/postgres";
import type { OpenErasure } from "@annals/proto/ledger";
import { sinkChange } from "../rules/audit-entries.ts";
import { filterOf } from "../../webhooks/rules/filter-history.ts";
import { withoutErased } from "../../webhooks/rules/webhook-filter.ts";
import { AUDIT } from "../../store/audit.ts";
import { lockSink } from "../store/find-sink.ts";
import { listSinkFilters, replaceSinkFilter } from "../store/sink-filters.ts";
import { changeEach, type ErasedFiltersDeps, SERVICE } from "../../webhooks/erased-filters.ts";

/** Resolves to the number of changed sinks. */
export async function clearSinkFilters(
  { clock, database }: ErasedFiltersDeps,
  erasure: OpenErasure,
  signal: AbortSignal,
): Promise<number> {
  const own = database.forAccount(erasure.accountId, signal);
  return changeEach(
    {
      list: (after, limit) => own.run(listSinkFilters, [erasure.accountId, after, limit]),
      names: (row) => without(row, erasure) !== undefined,
      change: ({ id }) =>
        own.transaction((transaction) => clear(transaction, clock.nowText(), id, erasure)),
    },
    signal,
  );
}

async function clear(
  transaction: Database,
  occurredAt: string,
  sinkId: string,
  erasure: OpenErasure,
): Promise<void> {
  const { accountId, id } = erasure;
  const [locked] = await transaction.run(lockSink, [accountId, sinkId]);
  const left = locked && without(locked, erasure);
  if (left === undefined) return;
  await transaction.run(replaceSinkFilter, [accountId, sinkId, left]);
  const change = { actor: SERVICE, occurredAt, metadata: { erasure_id: id } };
  await AUDIT.add(transaction, sinkChange("updated", accountId, sinkId, change));
}

/** The filter as JSON text; undefined if it does not name the value. */
function without(
  row: { readonly filter: string | null },
  erasure: OpenErasure,
): string | undefined {
  const filter = filterOf(row);
  const left = filter && withoutErased(filter, erasure);
  return left === null || left === filter ? undefined : JSON.stringify(left);
}
