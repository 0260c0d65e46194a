// The last event of a range that was created before a time: times ascend with the numbers, but for steps of
// the clock (annals.clock), so it is found by some thirty look-ups. Behind a step an event is at least as old
// as it says. Called by retention/worker/retention.ts and retention/rpc/list-lifecycles.ts. It must never
// take an event that is missing for one that is older.

import type { Database } from "@annals/postgres";
import { getCreatedAt } from "../store/retention-cut.ts";

interface Range {
  readonly after: number;
  readonly most: number;
}

/** The last event up to `most` that was created before `time`; `after` if every one is younger. */
export async function lastEventBefore(
  database: Database,
  { accountId, time }: { readonly accountId: string; readonly time: string },
  { after, most }: Range,
): Promise<number> {
  const isBefore = async (number: number) => {
    const [event] = await database.run(getCreatedAt, [accountId, String(number)]);
    return event !== undefined && event.created_at < time;
  };
  let [old, young] = [after, most + 1];
  // The first one, because most passes find nothing.
  if (young - old > 1 && !(await isBefore(old + 1))) return after;
  while (young - old > 1) {
    const middle = Math.floor((old + young) / 2);
    // oxlint-disable-next-line no-await-in-loop -- a binary search
    if (await isBefore(middle)) old = middle;
    else young = middle;
  }
  return old;
}
