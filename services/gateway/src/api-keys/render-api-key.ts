// An API key as JSON (interface 5). The secret is never part of it: only the create routes add it.

import { firstMomentOf, MAX_ALLOWED_IPS, MAX_KEY_LIFETIME_DAYS, SCOPES } from "@annals/contract";
import type { ApiKey } from "@annals/proto/keys";
import { Type } from "typebox";
import { GivenTime, Id, named, openDetail, Time } from "../render/schema.ts";

export const ApiKeyId = Id("key", "8m3kqa7v0d4x2c9r5t1w6y8b3e");

export const ScopeBody = named(
  "Scope",
  Type.Enum([...SCOPES], { description: "What a key may do." }),
);

const EXPIRY = openDetail("key-expiry");

/** When a key is to expire, as a client sends it. */
export const givenExpiry = GivenTime(
  `When the key expires: from now to ${MAX_KEY_LIFETIME_DAYS} days from now. Left out: it never does.`,
  { minLength: 1, examples: ["2027-01-31T09:30:00Z"], ...EXPIRY },
);

const EXAMPLE_IPS = ["192.0.2.7", "2001:db8::/32"];

/** Addresses that a key may be used from, as a client sends it and as it is shown. */
export const allowedIps = Type.Array(Type.String({ maxLength: 64 }), {
  minItems: 1,
  maxItems: MAX_ALLOWED_IPS,
  description:
    "IP addresses and networks that the key may be used from; requests from others get 403. Left out: any.",
  examples: [EXAMPLE_IPS],
  ...openDetail("key-allowed-ips"),
});

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
    expires_at: Type.Optional(
      Time({
        description: "When the key expires; absent if it never does. ISO 8601, UTC.",
        ...EXPIRY,
      }),
    ),
    allowed_ips: Type.Optional(allowedIps),
    last_used_at: Type.Optional(
      Time({
        description:
          "The day of the last use, as its first moment in UTC; written within about a minute. Absent if the key was not used.",
        examples: ["2026-01-31T00:00:00.000000Z"],
        ...openDetail("key-last-used"),
      }),
    ),
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
    ...renderRestrictions(apiKey),
    ...(apiKey?.lastUsedOn && { last_used_at: firstMomentOf(apiKey.lastUsedOn) }),
  };
}

/** Members that only a key with restrictions has. */
export function renderRestrictions(apiKey: ApiKey | undefined) {
  const { allowedIps: ips = [], expiresAt = "" } = apiKey ?? {};
  return {
    ...(expiresAt !== "" && { expires_at: expiresAt }),
    ...(ips.length > 0 && { allowed_ips: ips }),
  };
}
