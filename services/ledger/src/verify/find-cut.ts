// Finds that the end of a chain was cut off and its head moved back: its tree, or the head that a served
// epoch covers, still has more events. Called by verify-chain.ts for a range that reaches the head. It must
// never report a chain that only grows meanwhile.

import type { Database } from "@annals/postgres";
import type { FirstInvalid } from "./rules/chain-verifier.ts";
import { coveredHead } from "../log/covered-head.ts";
import { getSizes } from "./store/get-sizes.ts";

/** The first event that is missing after the end of the chain. */
export async function findCut(
  database: Database,
  accountId: string,
): Promise<FirstInvalid | undefined> {
  // Read before the chain, which has every covered event from then on.
  const covered = await coveredHead(database, accountId);
  const [sizes] = await database.run(getSizes, [accountId]);
  const chain = Number(sizes?.chain ?? 0);
  if (Math.max(Number(sizes?.tree ?? 0), covered?.size ?? 0) <= chain) return undefined;
  return { sequenceNumber: chain + 1, eventId: undefined, reason: "tree_mismatch" };
}
