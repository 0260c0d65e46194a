// Deletes people some time after their last login. Called by the sweep of sessions. What the audit says of
// them stays, by their ids.

import { type DatabaseClock, formatMicros } from "@annals/contract";
import type { Database } from "@annals/postgres";
import { deleteIdlePeople } from "./store/delete-idle-people.ts";

const MICROS_PER_DAY = 86_400_000_000;

/** Resolves to how many of at most `limit` were deleted. */
export async function forgetPeople(
  { clock, database }: { readonly clock: DatabaseClock; readonly database: Database },
  retentionDays: number,
  limit: number,
): Promise<number> {
  const before = formatMicros(clock.nowMicros() - retentionDays * MICROS_PER_DAY);
  return (await database.run(deleteIdlePeople, [before, limit])).length;
}
