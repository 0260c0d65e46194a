// Turns counted reads into entries of the operator's audit. Called by read-audit.ts. An entry must never have
// a query, a header, or the address of a person: the chain keeps it permanently.

import { READ_ACTION } from "@annals/contract";
import type { FurtherRow, Reader, ReadRow } from "./read-counts.ts";

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

/** Programs: their address is no person's. */
const PROGRAMS: readonly Reader[] = ["api_key", "workload"];

function ofKey({ firstIp, keyId, lastIp, reader, route }: ReadRow, counts: object) {
  const actor = { type: reader, id: keyId };
  const ips = PROGRAMS.includes(reader) ? { first_ip: firstIp, last_ip: lastIp } : {};
  return { actor, metadata: { route, ...counts, ...ips } };
}
