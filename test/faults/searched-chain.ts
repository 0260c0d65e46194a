// A long chain on which some filters select nothing although the index excludes no chunk, for the tests of
// searches and of what requests cost.

import { smallEvent } from "../bench/bodies.ts";
import { loadLongChain } from "../bench/long-chain.ts";

const PREFIX = "zz.*";
/** More actions of the prefix than the ledger looks up one by one. */
const ACTIONS = 100;
/** Of all other events. */
const ACTOR = "u_1";

/** Every event has the actor, or an action of the prefix, and none both. */
export const NO_ACTION = `action=${PREFIX}&actor_id=${ACTOR}`;
/** Every chunk has events before and after the times. */
export const NO_TIME = "occurred_from=2025-01-01T00:00:00Z&occurred_to=2025-02-01T00:00:00Z";

/** The filter of a widget token that selects as NO_ACTION. */
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
