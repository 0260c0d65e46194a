// Sinks whose receivers no test runs: the shared stack reaches no private address. Imported by tests only.

import { ownerOf } from "./owner.ts";

/** Brings the account's sinks to an event that their receivers have refused for good. */
export async function markRejected(
  databaseUrl: string,
  accountId: string,
  sequenceNumber: number,
): Promise<void> {
  const owner = ownerOf(databaseUrl);
  try {
    const reason = "not like this";
    const rejected = { sequence_number: sequenceNumber, id: "evt_1", status: 400, reason };
    // No attempt that is under way changes it, and none follows.
    await owner.query(
      `UPDATE webhooks.sinks SET cursor = $2::bigint - 1, refusals = $3, attempts = 1, due_at = now() + interval '1 day',
         fence = fence + 1, leased_until = NULL
       WHERE account_id = $1`,
      [accountId, sequenceNumber, JSON.stringify({ rejected })],
    );
  } finally {
    await owner.close();
  }
}
