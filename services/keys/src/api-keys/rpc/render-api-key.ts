// A stored key as proto.

import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ApiKeySchema } from "@annals/proto/keys";
import { allowedIpsOf, type ApiKeyRow } from "../../store/api-key-row.ts";

export function renderApiKey(row: ApiKeyRow): MessageInitShape<typeof ApiKeySchema> {
  return {
    id: row.id,
    name: row.name,
    keyPrefix: row.key_prefix,
    scopes: [...row.scopes],
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? "",
    allowedIps: allowedIpsOf(row),
    lastUsedOn: row.last_used_on ?? "",
  };
}
