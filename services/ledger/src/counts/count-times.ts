// Reads between which times the events of an account occurred, from which the gateway makes the bars of a
// request that names no times. Called by askers.ts.

import { unavailable } from "@annals/errors";
import type { Database } from "@annals/postgres";
import { getSearchEnds } from "../store/get-search-ends.ts";
import { getTimes } from "./store/get-times.ts";

/** Events behind the index that are read at most. */
const MAX_BEHIND = 50_000;

/** In UTC with six fraction digits; empty if there is no event. */
export interface Times {
  readonly earliest: string;
  readonly latest: string;
}

export async function timesOf(database: Database, accountId: string): Promise<Times> {
  const [ends] = await database.run(getSearchEnds, [accountId]);
  const [indexed, first, last] = [ends?.indexed, ends?.first, ends?.last].map(Number) as [
    number,
    number,
    number,
  ];
  if (last - Math.max(indexed, first - 1) > MAX_BEHIND)
    throw unavailable(
      "The filter index is behind. Try again, or give occurred_from and occurred_to.",
    );
  const [times] = await database.run(getTimes, [accountId, indexed, first, MAX_BEHIND]);
  return { earliest: times?.earliest ?? "", latest: times?.latest ?? "" };
}
