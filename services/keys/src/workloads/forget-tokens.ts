// Deletes a piece of the tokens of workloads that have expired. Called by the sweep of sessions.

import type { Database } from "@annals/postgres";
import { deleteExpiredWorkloadTokens } from "./store/delete-expired-workload-tokens.ts";

/** How many were deleted. */
export async function forgetTokens(
  { database }: { readonly database: Database },
  piece: number,
): Promise<number> {
  return (await database.run(deleteExpiredWorkloadTokens, [piece])).length;
}
