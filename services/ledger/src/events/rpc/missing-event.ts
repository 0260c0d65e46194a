// The error for an event that cannot be read: it never was, or retention has deleted it. Called by the RPCs
// that read one event.

import { AnnalsError, notFound } from "@annals/errors";
import type { Database } from "@annals/postgres";
import { retainedAfter } from "../../search/read-events.ts";

export async function missingEvent(
  database: Database,
  of: { readonly accountId: string; readonly id: string; readonly sequence: number },
): Promise<AnnalsError> {
  const from = await retainedAfter(database, of.accountId, BigInt(of.sequence));
  if (from === undefined) return notFound("event", of.id);
  const message = `Retention has deleted the events before ${from}.`;
  return new AnnalsError("not_found", message);
}
