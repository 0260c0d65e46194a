// POST /v1/api-keys (interface 5): creates a key. The secret is in this response only.

import { SCOPES } from "@annals/contract";
import type { CreateApiKeyRequestSchema } from "@annals/proto/keys";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Type, type Static } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import {
  allowedIps,
  ApiKeyBody,
  givenExpiry,
  renderApiKey,
  ScopeBody,
  SecretBody,
} from "./render-api-key.ts";
import { dataOf } from "../render/data.ts";
import { CLOSED, named, openDetail } from "../render/schema.ts";
import { askedOnce, ONCE_HEADER, OnceHeaders, onceHeaders } from "../render/idempotent-requests.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import { ApiKeyName, apiKeyName } from "./api-key-name.ts";

export const CreateApiKeyBody = named(
  "NewApiKey",
  Type.Object(
    {
      name: ApiKeyName,
      scopes: Type.Optional(
        Type.Array(ScopeBody, {
          minItems: 1,
          description: "Default: all five. Duplicates are ignored.",
          examples: [["events:read", "events:write"]],
          ...openDetail("key-scopes"),
        }),
      ),
      expires_at: Type.Optional(givenExpiry),
      allowed_ips: Type.Optional(allowedIps),
    },
    CLOSED,
  ),
);

const Created = named(
  "CreatedApiKey",
  Type.Object({ ...ApiKeyBody.properties, key: Type.Optional(SecretBody) }),
);

export function createApiKey({ keys }: Pick<Deps, "keys">): Route {
  return route({
    summary: "Create an API key",
    body: CreateApiKeyBody,
    headers: OnceHeaders,
    success: { status: 201, body: dataOf(Created), headers: ONCE_HEADER },
    planLimit: "count",
    handle: async ({ admission, body, headers }) => {
      const { apiKey, replayed, secret } = await keys.createApiKey(
        { ...toRequest(admission.accountId, body), ...askedOnce(headers, body) },
        admittedBy(admission),
      );
      const { id, name, ...rest } = renderApiKey(apiKey);
      const data = { id, name, ...(!replayed && { key: secret }), ...rest };
      return { body: { data }, ...onceHeaders(replayed) };
    },
  });
}

export function toRequest(
  accountId: string,
  body: Static<typeof CreateApiKeyBody>,
): MessageInitShape<typeof CreateApiKeyRequestSchema> {
  return {
    accountId,
    name: apiKeyName(body.name),
    scopes: [...new Set(body.scopes ?? SCOPES)],
    expiresAt: body.expires_at ?? "",
    allowedIps: body.allowed_ips ?? [],
  };
}
