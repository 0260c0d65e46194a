// ListLifecycles: the accounts with archives, and for each the range that is archived next: events of one
// UTC month that is over. The export service polls it.

import type { DatabaseClock } from "@annals/contract";
import { formatMicros } from "@annals/contract";
import { invalid } from "@annals/errors";
import type { Database, Pool } from "@annals/postgres";
import type { LedgerService, LifecycleSchema } from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { plansOf, type PlanReads } from "../plan-retention.ts";
import { monthOf, nextMonth } from "../../append/rules/month.ts";
import { archivesOf, isArchiving, type PlanRetention } from "../rules/retention.ts";
import { coveredHead } from "../../log/covered-head.ts";
import { lastEventBefore } from "../../search/last-event-before.ts";
import { type ArchivedRow, listArchived } from "../store/archives.ts";
import { getHeadSequences } from "../../store/get-head-sequences.ts";
import { getLifecycle } from "../../store/lifecycles.ts";
import { getCreatedAt, getFirstHold } from "../../store/retention-cut.ts";
import { US_PER_S } from "./retention-view.ts";

const MAX_LIMIT = 100;
/** Maximum events of a piece. */
const PIECE = 1_048_576;

interface Deps {
  readonly clock: DatabaseClock;
  readonly database: Pool;
  readonly keys: PlanReads;
  /** {@link PIECE} by default. */
  readonly archivePiece?: number | undefined;
}

export function listLifecycles({
  archivePiece = PIECE,
  clock,
  database,
  keys,
}: Deps): ServiceImpl<typeof LedgerService>["listLifecycles"] {
  return async ({ accountId, afterAccountId, limit }, { signal }) => {
    if (limit < 1 || limit > MAX_LIMIT)
      throw invalid({ field: "limit", message: `must be from 1 to ${MAX_LIMIT}` });
    const rows =
      accountId === undefined
        ? await database.run(listArchived, [afterAccountId, limit])
        : await onlyOf(database.forAccount(accountId, signal), accountId);
    if (rows.length === 0) return { lifecycles: [] };
    const ids = rows.map((row) => row.account_id);
    const plans = await plansOf(keys, ids, signal);
    const nowMicros = clock.nowMicros();
    const lifecycles = [];
    for (const [at, row] of rows.entries()) {
      const own = database.forAccount(row.account_id, signal);
      const plan = plans[at] ?? { days: undefined, minDays: 1 };
      lifecycles.push(await lifecycleOf(own, { nowMicros, piece: archivePiece, plan, row }));
    }
    return { lifecycles };
  };
}

/** The row of one account, whether it has archives or not. */
async function onlyOf(database: Database, accountId: string): Promise<ArchivedRow[]> {
  const [row] = await database.run(getLifecycle, [accountId]);
  return row ? [{ account_id: accountId, ...row }] : [];
}

interface Of {
  readonly nowMicros: number;
  readonly piece: number;
  readonly plan: PlanRetention;
  readonly row: ArchivedRow;
}

async function lifecycleOf(
  database: Database,
  of: Of,
): Promise<MessageInitShape<typeof LifecycleSchema>> {
  const { nowMicros, plan, row } = of;
  const accountId = row.account_id;
  // Holds only keep archives from ending.
  const [hold] =
    plan.archiveDays === undefined ? [] : await database.run(getFirstHold, [accountId]);
  const isOn = isArchiving(plan, archivesOf(row), nowMicros / US_PER_S);
  const next = isOn ? await nextRange(database, of) : undefined;
  return {
    accountId,
    archivedThrough: BigInt(row.archived_through),
    ...(next && { next }),
    ...(plan.archiveDays !== undefined && { archiveDays: plan.archiveDays }),
    ...(hold && { heldFrom: BigInt(hold.from_sequence) }),
  };
}

/** Undefined while the month of the first event that is not archived goes on. */
async function nextRange(database: Database, { nowMicros, piece, row }: Of) {
  const accountId = row.account_id;
  const from = Math.max(Number(row.archived_through), Number(row.deleted_through)) + 1;
  const [first] = await database.run(getCreatedAt, [accountId, String(from)]);
  if (!first) return undefined;
  const month = monthOf(first.created_at);
  const time = nextMonth(month);
  if (formatMicros(nowMicros) < time) return undefined;
  const [head] = await database.run(getHeadSequences, [[accountId]]);
  const most = Math.min(Number(head?.sequence_number ?? from), from + piece - 1);
  const to = await lastEventBefore(database, { accountId, time }, { after: from - 1, most });
  const covered = (await coveredHead(database, accountId))?.size ?? 0;
  return {
    fromSequence: BigInt(from),
    toSequence: BigInt(to),
    month,
    isCovered: covered >= to,
  };
}
