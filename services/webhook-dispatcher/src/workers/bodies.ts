// The bodies of claimed deliveries: that of an event is put together from what the chain has at its position,
// any other is stored with its delivery. Called by delivery-engine.ts and attempts.ts.

import type { Logger } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import { payloadBody, storedBody } from "../domain/payload.ts";
import type { EventReader } from "../outbound/event-reader.ts";
import type { ClaimedRow } from "../store/claim-deliveries.ts";
import { readPayloads } from "../store/read-payloads.ts";

/** Undefined where there is none any more. Rejects where the event cannot be read now. */
export async function bodyOf(
  { events, log }: { readonly events: Pick<EventReader, "read">; readonly log: Logger },
  row: ClaimedRow,
): Promise<Buffer | undefined> {
  if (row.body !== null) return row.body;
  const { account_id: accountId, event, payload_id: id, position, queued_at: timestamp } = row;
  const data = position === null ? undefined : await events.read(accountId, BigInt(position));
  if (data !== undefined) return payloadBody({ id, event, data, timestamp });
  log.warn({ webhook_id: row.webhook_id }, "a claimed delivery has no payload any more");
  return undefined;
}

/** Completes what an earlier release stored: its deliveries share payloads. */
export async function withStoredPayloads(
  { database }: { readonly database: Database },
  claimed: readonly ClaimedRow[],
): Promise<readonly ClaimedRow[]> {
  const sharing = claimed.filter((row) => row.payload_number !== null && row.body === null);
  if (sharing.length === 0) return claimed;
  const rows = await database.run(readPayloads, [
    sharing.map((row) => row.account_id),
    sharing.map((row) => row.payload_number ?? ""),
  ]);
  const tails = new Map(rows.map((row) => [`${row.account_id} ${row.number}`, row.tail]));
  return claimed.map((row) => {
    const tail = tails.get(`${row.account_id} ${row.payload_number}`);
    return tail === undefined ? row : { ...row, body: storedBody(row.payload_id, tail) };
  });
}
