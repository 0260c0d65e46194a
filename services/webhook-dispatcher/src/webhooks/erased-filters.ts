// Takes an erased value out of the filters of webhooks. Called by erased-copies.ts before it confirms an
// erasure. A webhook must never get more events by that: a member that has no value left matches none, and a
// webhook whose filter leaves out less is disabled.

import { inPieces } from "@annals/chassis";
import type { Clock } from "@annals/contract";
import type { Database, Pool } from "@annals/postgres";
import type { OpenErasure } from "@annals/proto/ledger";
import { webhookChange } from "./rules/audit-entries.ts";
import {
  columnsOf,
  type FilterColumns,
  historyOf,
  withoutErasedValues,
} from "./rules/filter-history.ts";
import { AUDIT } from "../store/audit.ts";
import { lockWebhook } from "../store/find-webhook.ts";
import { takeNumber } from "../store/take-number.ts";
import { disableErased } from "./store/disable-erased.ts";
import { listFilters, replaceFilters } from "./store/webhook-filters.ts";

export interface ErasedFiltersDeps {
  readonly clock: Clock;
  readonly database: Pool;
}

/** Maximum rows of one statement. */
const PIECE = 100;
export const SERVICE = { type: "service", id: "webhook-dispatcher" } as const;

/** Resolves to the number of changed webhooks. */
export async function clearFilters(
  { clock, database }: ErasedFiltersDeps,
  erasure: OpenErasure,
  signal: AbortSignal,
): Promise<number> {
  const own = database.forAccount(erasure.accountId, signal);
  return changeEach(
    {
      list: (after, limit) => own.run(listFilters, [erasure.accountId, after, limit]),
      names: (row) => without(row, erasure) !== undefined,
      change: ({ id }) =>
        own.transaction((transaction) => clear(transaction, clock.nowText(), id, erasure)),
    },
    signal,
  );
}

/** Reads the rows of an account in pages, and changes those that name the value. Resolves to their number. */
export async function changeEach<Row extends { readonly id: string }>(
  work: {
    readonly list: (afterId: string, limit: number) => Promise<readonly Row[]>;
    readonly names: (row: Row) => boolean;
    readonly change: (row: Row) => Promise<void>;
  },
  signal: AbortSignal,
): Promise<number> {
  let last = "";
  let changed = 0;
  await inPieces(
    PIECE,
    async () => {
      const rows = await work.list(last, PIECE);
      for (const row of rows) {
        last = row.id;
        if (!work.names(row)) continue;
        await work.change(row);
        changed += 1;
      }
      return rows.length;
    },
    signal,
  );
  return changed;
}

async function clear(
  transaction: Database,
  occurredAt: string,
  webhookId: string,
  erasure: OpenErasure,
): Promise<void> {
  const { accountId, id } = erasure;
  const [locked] = await transaction.run(lockWebhook, [accountId, webhookId]);
  const left = locked && without(locked, erasure);
  if (!left) return;
  const { earlier_filters: earlier, filter } = columnsOf(left.history);
  await transaction.run(replaceFilters, [accountId, webhookId, filter, earlier]);
  const change = { actor: SERVICE, occurredAt, metadata: { erasure_id: id } };
  await AUDIT.add(transaction, webhookChange("updated", accountId, webhookId, change));
  if (!left.excludesLess || !locked.active) return;
  const [next] = await transaction.run(takeNumber, []);
  await transaction.run(disableErased, [accountId, webhookId, next?.number ?? "0"]);
  const disabled = { actor: SERVICE, occurredAt, metadata: { reason: "erasure" } };
  await AUDIT.add(transaction, webhookChange("disabled", accountId, webhookId, disabled));
}

/** Undefined if no filter names the value. */
const without = (row: FilterColumns, erasure: OpenErasure) =>
  withoutErasedValues(historyOf(row), erasure);
