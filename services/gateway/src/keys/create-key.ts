// POST /v1/keys (interface 5): the other form of creating a key. Its response has no wrapper and no
// key_prefix.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import {
  ApiKeyBody,
  renderApiKey,
  renderRestrictions,
  SecretBody,
} from "../api-keys/render-api-key.ts";
import { named } from "../render/schema.ts";
import { askedOnce, ONCE_HEADER, OnceHeaders, onceHeaders } from "../render/idempotent-requests.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import { CreateApiKeyBody, toRequest } from "../api-keys/create-api-key.ts";

const { id, name, scopes, created_at, expires_at, allowed_ips } = ApiKeyBody.properties;

const Created = named(
  "CreatedKey",
  Type.Object({
    id,
    name,
    key: Type.Optional(SecretBody),
    scopes,
    created_at,
    expires_at,
    allowed_ips,
  }),
);

export function createKey({ keys }: Pick<Deps, "keys">): Route {
  return route({
    summary: "Create an API key (other form)",
    body: CreateApiKeyBody,
    headers: OnceHeaders,
    success: { status: 201, body: Created, headers: ONCE_HEADER },
    planLimit: "count",
    handle: async ({ admission, body, headers }) => {
      const { apiKey, replayed, secret } = await keys.createApiKey(
        { ...toRequest(admission.accountId, body), ...askedOnce(headers, body) },
        admittedBy(admission),
      );
      const shown = renderApiKey(apiKey);
      return {
        body: {
          id: shown.id,
          name: shown.name,
          ...(!replayed && { key: secret }),
          scopes: shown.scopes,
          created_at: shown.created_at,
          ...renderRestrictions(apiKey),
        },
        ...onceHeaders(replayed),
      };
    },
  });
}
