// The bodies of claimed deliveries. The body of an event is built from the event at its position in the
// chain; any other body is stored with its delivery. Called by attempts.ts.

import type { Logger } from "@annals/chassis";
import { parseTimestamp } from "@annals/contract";
import { payloadBody } from "../rules/payload.ts";
import type { EventReader } from "../event-reader.ts";
import type { ClaimedRow } from "../store/claim-deliveries.ts";

/** Resolves to undefined if the body no longer exists. Rejects if the event cannot be read now. */
export async function bodyOf(
  { events, log }: { readonly events: Pick<EventReader, "read">; readonly log: Logger },
  row: ClaimedRow,
): Promise<Buffer | undefined> {
  if (row.body !== null) return row.body;
  const { account_id: accountId, event, payload_id: id, position } = row;
  const data = position === null ? undefined : await events.read(accountId, BigInt(position));
  const timestamp = parseTimestamp(row.created_at.replace(" ", "T"));
  if (data && timestamp !== undefined) return payloadBody({ id, event, data, timestamp });
  log.warn({ webhook_id: row.webhook_id }, "the payload of a claimed delivery no longer exists");
  return undefined;
}
