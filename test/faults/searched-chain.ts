// A long chain on which some filters select nothing although the index excludes nothing, for the tests of
// searches and of what requests cost.

import { smallEvent } from "../bench/bodies.ts";
import { loadLongChain } from "../bench/long-chain.ts";

const PREFIX = "zz.*";
/** Events with an action of the prefix. */
const ACTIONS = 100;
/** Of all other events. */
const ACTOR = "u_1";

/** Every chunk has events before and after the times. */
export const NO_TIME = "occurred_from=2025-01-01T00:00:00Z&occurred_to=2025-02-01T00:00:00Z";
/** The index finds nearly every event, each is compared, and none occurred then. */
export const NO_EVENT = `actor_id=${ACTOR}&${NO_TIME}`;

/** Filters of widget tokens: with NO_TIME this selects as NO_EVENT. The index finds nothing of the next. */
export const OF_ACTOR = { actor_id: ACTOR };
export const NOTHING = { action: PREFIX, actor_id: ACTOR };

export async function loadSearchedChain(
  databaseUrl: string,
  accountId: string,
  count: number,
): Promise<void> {
  await loadLongChain(databaseUrl, accountId, count, (index) => ({
    ...smallEvent(index),
    occurred_at: `20${index % 2 === 0 ? 20 : 30}-01-01T00:00:00.000000Z`,
    ...(index < ACTIONS
      ? { action: `zz.${index}` }
      : { action: "other", actor: { id: ACTOR, type: "user" } }),
  }));
}
