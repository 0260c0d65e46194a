// Turns counted reads into entries of the operator's audit. Called by read-audit.ts. An entry must never have
// a query, a header, or the address of a person who looks at a widget: the chain keeps it permanently.

import { READ_ACTION } from "@annals/contract";
import type { FurtherRow, ReadRow } from "./read-counts.ts";

/** The fields of annals.ledger.v1.AuditEntry, and what the entry is about. */
export interface ReadEntry {
  readonly id: string;
  readonly accountId: string;
  readonly event: string;
  readonly occurredAt: string;
  readonly reads: number;
}

export function entryOf(row: ReadRow | FurtherRow, id: string): ReadEntry {
  const { accountId, failed, minute, reads, since, until: occurredAt } = row;
  const counts = { minute, reads, failed, since };
  const { actor, metadata } =
    row.kind === "further"
      ? { actor: { type: "service", id: "gateway" }, metadata: { ...counts, is_further: true } }
      : ofKey(row, counts);
  const event = {
    action: READ_ACTION,
    occurred_at: occurredAt,
    actor,
    target: { type: "account", id: accountId },
    metadata,
  };
  return { id, accountId, event: JSON.stringify(event), occurredAt, reads };
}

function ofKey({ firstIp, isWidget, keyId, lastIp, route }: ReadRow, counts: object) {
  const actor = { type: isWidget ? "widget_token" : "api_key", id: keyId };
  const ips = isWidget ? {} : { first_ip: firstIp, last_ip: lastIp };
  return { actor, metadata: { route, ...counts, ...ips } };
}
