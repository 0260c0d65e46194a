// Takes an erased value out of the filters of sinks. Called by deliveries/worker/erased-copies.ts before it
// confirms an erasure. A sink must never get more events by that: a member that has no value left matches
// none, and a sink whose filter leaves out less is paused.

import type { Database } from "@annals/postgres";
import type { OpenErasure } from "@annals/proto/ledger";
import { sinkChange } from "../rules/audit-entries.ts";
import { filterOf } from "../../webhooks/rules/filter-history.ts";
import { excludesLess, withoutErased } from "../../webhooks/rules/without-erased.ts";
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
  const { filter, isPaused } = left;
  await transaction.run(replaceSinkFilter, [accountId, sinkId, filter, isPaused]);
  const change = { actor: SERVICE, occurredAt, metadata: { erasure_id: id } };
  await AUDIT.add(transaction, sinkChange("updated", accountId, sinkId, change));
}

/** The filter as JSON text; undefined if it does not name the value. */
function without(row: { readonly filter: string | null }, erasure: OpenErasure) {
  const filter = filterOf(row);
  const left = filter && withoutErased(filter, erasure);
  if (filter === null || left === filter) return undefined;
  return { filter: left && JSON.stringify(left), isPaused: excludesLess(left, filter) };
}
