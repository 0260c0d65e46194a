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
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import { CreateApiKeyBody, toRequest } from "../api-keys/create-api-key.ts";

const { id, name, scopes, created_at, expires_at, allowed_ips } = ApiKeyBody.properties;

const Created = named(
  "CreatedKey",
  Type.Object({ id, name, key: SecretBody, scopes, created_at, expires_at, allowed_ips }),
);

export function createKey({ keys }: Pick<Deps, "keys">): Route {
  return route({
    summary: "Create an API key (other form)",
    body: CreateApiKeyBody,
    success: { status: 201, body: Created },
    planLimit: "count",
    handle: async ({ admission, body }) => {
      const { apiKey, secret } = await keys.createApiKey(
        toRequest(admission.accountId, body),
        admittedBy(admission),
      );
      const shown = renderApiKey(apiKey);
      return {
        body: {
          id: shown.id,
          name: shown.name,
          key: secret,
          scopes: shown.scopes,
          created_at: shown.created_at,
          ...renderRestrictions(apiKey),
        },
      };
    },
  });
}
