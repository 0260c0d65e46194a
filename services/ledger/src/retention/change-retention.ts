// Sets how long the events of an account are kept, and records the change in the operator's audit. Called by
// rpc/ for an account, and by commands/ for the operator. It appends nothing to the account's chain: the
// record follows when events are deleted (worker/retention.ts).

import type { AuditClientType, DatabaseClock } from "@annals/contract";
import { internal } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import {
  archivesOf,
  changedArchives,
  changedRetention,
  type PlanRetention,
  settingsOf,
} from "./rules/retention.ts";
import { AUDIT } from "../store/audit.ts";
import { beginLifecycle } from "../store/begin-lifecycle.ts";
import {
  type LifecycleRow,
  lockLifecycle,
  setArchives,
  setRetention,
} from "../store/lifecycles.ts";

const US_PER_S = 1e6;

export interface RetentionChange {
  readonly accountId: string;
  readonly actor: {
    readonly type: AuditClientType | "operator" | "service";
    readonly id?: string | undefined;
  };
  /** Null: that of the plan. */
  readonly days: number | null;
  /** Undefined: as it is. */
  readonly archive?: boolean | undefined;
  readonly plan: PlanRetention;
}

/** The days have to be checked. Resolves to the row after the change. */
export async function changeRetention(
  { clock, database }: { readonly clock: DatabaseClock; readonly database: Pool },
  { accountId, actor, archive, days, plan }: RetentionChange,
  signal?: AbortSignal,
): Promise<LifecycleRow> {
  return database.forAccount(accountId, signal).transaction(async (transaction) => {
    await transaction.run(beginLifecycle, [accountId]);
    const [row] = await transaction.run(lockLifecycle, [accountId]);
    if (!row) throw internal("the settings of retention have no row");
    const before = settingsOf(row);
    const nowS = clock.nowMicros() / US_PER_S;
    const set = changedRetention(plan, before, { days, nowS });
    const archives = changedArchives(archivesOf(row), archive ?? row.archive, nowS);
    const isOther = set.days !== before.days || set.shorterS !== before.shorterS;
    const isOtherArchive = archives.archive !== row.archive;
    if (!isOther && !isOtherArchive) return row;
    const params = [accountId, set.days, set.daysBefore, set.shorterS] as const;
    await transaction.run(setRetention, [...params]);
    await transaction.run(setArchives, [accountId, archives.archive, archives.untilS]);
    await AUDIT.add(transaction, {
      accountId,
      action: "annals.retention.changed",
      actor,
      target: { type: "account", id: accountId },
      metadata: {
        days: set.days,
        days_before: before.days,
        is_delayed: set.shorterS !== null,
        ...(isOtherArchive && { archive: archives.archive }),
      },
      occurredAt: clock.nowText(),
    });
    return {
      ...row,
      days: set.days,
      days_before: set.daysBefore,
      shorter_s: set.shorterS,
      archive: archives.archive,
      archive_until_s: archives.untilS,
    };
  });
}
