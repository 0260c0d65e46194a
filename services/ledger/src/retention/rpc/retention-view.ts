// The retention of an account as GetRetention and SetRetention answer it.

import { formatMicros } from "@annals/contract";
import type { Database } from "@annals/postgres";
import type { RetentionSchema } from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  archivesOf,
  effectiveRetention,
  isArchiving,
  type PlanRetention,
  settingsOf,
} from "../rules/retention.ts";
import type { LifecycleRow } from "../../store/lifecycles.ts";
import { getFirstHold } from "../../store/retention-cut.ts";

export const US_PER_S = 1e6;

export async function renderRetention(
  database: Database,
  of: { readonly accountId: string; readonly plan: PlanRetention; readonly nowS: number },
  row: LifecycleRow | undefined,
): Promise<MessageInitShape<typeof RetentionSchema>> {
  const { accountId, nowS, plan } = of;
  const set = settingsOf(row);
  const { days, limitedBy = "" } = effectiveRetention(plan, set, nowS);
  const [hold] = await database.run(getFirstHold, [accountId]);
  const archives = archivesOf(row);
  const isEnding = !archives.archive && isArchiving(plan, archives, nowS);
  const isPending = set.shorterS !== null && set.shorterS > nowS;
  return {
    ...(days !== undefined && { days }),
    limitedBy,
    ...(plan.days !== undefined && { planDays: plan.days }),
    minDays: plan.minDays,
    ...(set.days !== null && { accountDays: set.days }),
    ...(isPending && { shorterFrom: formatMicros(Math.round((set.shorterS ?? 0) * US_PER_S)) }),
    throughSequence: BigInt(row?.through_sequence ?? 0),
    retainedFrom: BigInt(row?.deleted_through ?? 0) + 1n,
    ...(hold && { hold: hold.id }),
    archive: archives.archive,
    ...(isEnding && { archiveUntil: formatMicros(Math.round((archives.untilS ?? 0) * US_PER_S)) }),
    archivedThrough: BigInt(row?.archived_through ?? 0),
  };
}
