// An API key as JSON (interface 2.1). The secret is never part of it: only the create routes add it.

import { SCOPES } from "@annals/contract";
import type { ApiKey } from "@annals/proto/keys";
import { Type } from "typebox";

const KEY_EXAMPLE = "annals_sk_4fQm0dJb2cKx9RtLw7YzN3sHvP6gA1eUqB8iTo5k0c1Xz9";

const Scopes = Type.Array(Type.Enum([...SCOPES]), { description: "What the key may do." });

export const ApiKeyBody = Type.Object({
  id: Type.String({ description: "`key_` and an opaque text." }),
  name: Type.String(),
  key_prefix: Type.String({
    description: "The key's leading part, three dots, its last two characters.",
  }),
  scopes: Scopes,
  created_at: Type.String({ description: "ISO 8601, UTC." }),
});

export const SecretBody = Type.String({
  description: "The complete key. Shown in this answer and never again.",
  examples: [KEY_EXAMPLE],
});

export function renderApiKey(apiKey: ApiKey | undefined) {
  return {
    id: apiKey?.id ?? "",
    name: apiKey?.name ?? "",
    key_prefix: apiKey?.keyPrefix ?? "",
    scopes: apiKey?.scopes ?? [],
    created_at: apiKey?.createdAt ?? "",
  };
}
