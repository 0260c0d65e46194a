// A stored key as proto.

import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ApiKeySchema } from "@annals/proto/keys";
import type { ApiKeyRow } from "../store/api-key-row.ts";

export function renderApiKey(row: ApiKeyRow): MessageInitShape<typeof ApiKeySchema> {
  return {
    id: row.id,
    name: row.name,
    keyPrefix: row.key_prefix,
    scopes: [...row.scopes],
    createdAt: row.created_at,
  };
}
