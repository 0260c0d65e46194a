// The rows of planned deliveries, as the statement takes them. Called by the fan-out, and by the handlers
// that queue deliveries at a client's request.

import { newId } from "@annals/contract";
import { type Entry, isByReference, payloadBody } from "./payload.ts";
import type { PlannedDelivery } from "./plan-fan-out.ts";

export interface NewDeliveriesOptions {
  readonly accountId: string;
  readonly random: (size: number) => Uint8Array;
  /** Time in UTC with six fraction digits. */
  readonly timestamp: string;
  /** Time of the statement: see store/moment.ts. */
  readonly now: string;
}

export function newDeliveries(
  entries: readonly Entry[],
  planned: readonly PlannedDelivery[],
  { accountId, now, random, timestamp }: NewDeliveriesOptions,
) {
  const rows = planned.flatMap(({ ordinal, webhookId }) => {
    const entry = entries[ordinal - 1];
    return entry ? [{ entry, webhookId, payloadId: newId("wh_evt", random) }] : [];
  });
  return [
    accountId,
    rows.map(({ webhookId }) => webhookId),
    rows.map(() => newId("wh_del", random)),
    rows.map(({ payloadId }) => payloadId),
    rows.map(({ entry }) => entry.name),
    rows.map(({ entry }) => entry.position),
    rows.map(({ entry }) => entry.bytes),
    rows.map(({ entry, payloadId }) => {
      if (isByReference(entry)) return null;
      const data = Buffer.from(entry.data ?? "null");
      return String(payloadBody({ id: payloadId, event: entry.name, data, timestamp }));
    }),
    now,
  ] as const;
}
