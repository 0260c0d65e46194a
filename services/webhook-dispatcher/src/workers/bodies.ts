// Puts the bodies of claimed deliveries together. Called by delivery-engine.ts.

import type { Logger } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import { payloadBody } from "../domain/payload.ts";
import type { ClaimedRow } from "../store/claim-deliveries.ts";
import { readPayloads } from "../store/read-payloads.ts";

export type ClaimedDelivery = ClaimedRow & { readonly body: Buffer };

/** Leaves out those that were deleted since their claim. */
export async function withBodies(
  { database, log }: { readonly database: Database; readonly log: Logger },
  claimed: readonly ClaimedRow[],
): Promise<ClaimedDelivery[]> {
  const sharing = claimed.filter((row) => row.payload_number !== null);
  const rows =
    sharing.length === 0
      ? []
      : await database.run(readPayloads, [
          sharing.map((row) => row.account_id),
          sharing.map((row) => row.payload_number ?? ""),
        ]);
  const tails = new Map(rows.map((row) => [`${row.account_id} ${row.number}`, row.tail]));
  return claimed.flatMap((row) => {
    const tail = tails.get(`${row.account_id} ${row.payload_number}`);
    const body = tail === undefined ? row.body : payloadBody(row.payload_id, tail);
    if (body !== null) return { ...row, body };
    log.warn({ webhook_id: row.webhook_id }, "a claimed delivery has no payload any more");
    return [];
  });
}
