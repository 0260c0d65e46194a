// The rows of planned deliveries, as the statement takes them. Called by the fan-out, and by the handlers
// that queue deliveries at a client's request.

import { newId } from "@annals/contract";
import { type Entry, payloadTail } from "./payload.ts";
import type { PlannedDelivery } from "./plan-fan-out.ts";

export interface NewDeliveriesOptions {
  readonly accountId: string;
  readonly random: (size: number) => Uint8Array;
  /** UTC with six fraction digits. */
  readonly timestamp: string;
  /** Of the statement; null for the database's own clock. */
  readonly now: string | null;
}

export function newDeliveries(
  entries: readonly Entry[],
  planned: readonly PlannedDelivery[],
  { accountId, now, random, timestamp }: NewDeliveriesOptions,
) {
  return [
    accountId,
    planned.map(({ webhookId }) => webhookId),
    planned.map(() => newId("wh_del", random)),
    planned.map(() => newId("wh_evt", random)),
    planned.map(({ ordinal }) => ordinal),
    entries.map(({ name }) => name),
    entries.map((entry) => payloadTail(entry, timestamp)),
    entries.map(({ position }) => position),
    now,
  ] as const;
}
