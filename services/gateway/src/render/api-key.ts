// An API key as JSON (interface 5). The secret is never part of it: only the create routes add it.

import { SCOPES } from "@annals/contract";
import type { ApiKey } from "@annals/proto/keys";
import { Type } from "typebox";
import { Id, named, Time } from "./schema.ts";

export const ApiKeyId = Id("key", "8m3kqa7v0d4x2c9r5t1w6y8b3e");

export const ScopeBody = named(
  "Scope",
  Type.Enum([...SCOPES], { description: "What a key may do." }),
);

export const ApiKeyBody = named(
  "ApiKey",
  Type.Object({
    id: ApiKeyId,
    name: Type.String({ minLength: 1, maxLength: 255, examples: ["billing"] }),
    key_prefix: Type.String({
      pattern: "^[a-z][a-z0-9]{0,31}_sk_.{0,4}\\.{3}.{2}$",
      description: "The start of the key, three dots, its last two characters.",
      examples: ["annals_sk_4fQm...z9"],
    }),
    scopes: Type.Array(ScopeBody, {
      description: "What the key may do.",
      examples: [["events:read", "events:write"]],
    }),
    created_at: Time({ description: "ISO 8601, UTC." }),
  }),
);

export const SecretBody = Type.String({
  pattern: "^[a-z][a-z0-9]{0,31}_sk_[A-Za-z0-9_-]{16,128}$",
  description: "The complete key. Shown only in this response.",
  examples: ["annals_sk_4fQm0dJb2cKx9RtLw7YzN3sHvP6gA1eUqB8iTo5k0c1Xz9"],
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
