// A workload as RPCs return it. Called by the handlers that list and create them.

import type { WorkloadSchema } from "@annals/proto/keys";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { allowedIpsOf } from "../../store/api-key-row.ts";
import type { WorkloadRow } from "../store/workload-row.ts";

export function renderWorkload(
  row: WorkloadRow,
  audience: string,
): MessageInitShape<typeof WorkloadSchema> {
  return {
    id: row.id,
    name: row.name,
    issuer: row.issuer,
    subject: row.subject,
    claims: Object.entries(row.claims).map(([name, value]) => ({ name, value })),
    scopes: [...row.scopes],
    allowedIps: allowedIpsOf(row),
    createdAt: row.created_at,
    audience,
  };
}
