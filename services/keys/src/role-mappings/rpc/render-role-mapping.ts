// A role mapping as RPCs return it. Called by the handlers that list and create them.

import type { RoleMappingSchema } from "@annals/proto/keys";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { RoleMappingRow } from "../store/role-mapping-row.ts";

export function renderRoleMapping(row: RoleMappingRow): MessageInitShape<typeof RoleMappingSchema> {
  return {
    id: row.id,
    provider: row.provider,
    group: row.group_name ?? "",
    subject: row.subject ?? "",
    role: row.role,
    createdAt: row.created_at,
  };
}
