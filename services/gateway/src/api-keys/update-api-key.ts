// PATCH /v1/api-keys/{id} (interface 5): renames a key, and changes when it expires and where
// it may be used from. Its scopes are fixed: a request that names them is refused.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { allowedIps, ApiKeyBody, ApiKeyId, givenExpiry, renderApiKey } from "./render-api-key.ts";
import { dataOf } from "../render/data.ts";
import { CLOSED, idIn, named, Nullable } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import { ApiKeyName, apiKeyName } from "./api-key-name.ts";

const Body = named(
  "ApiKeyUpdate",
  Type.Object(
    // A member that is never allowed is not in the document; here it is, for the sake of its refusal.
    {
      name: ApiKeyName,
      scopes: Type.Optional(Type.Unsafe<never>({ not: {} })),
      expires_at: Type.Optional(
        Nullable(givenExpiry, { description: "Null: the key never expires. Left out: as it is." }),
      ),
      allowed_ips: Type.Optional(
        Nullable(allowedIps, { description: "Null: from anywhere. Left out: as they are." }),
      ),
    },
    CLOSED,
  ),
);

export function updateApiKey({ keys }: Pick<Deps, "keys">): Route {
  return route({
    summary: "Update an API key",
    description: "Scopes are fixed at creation.",
    params: idIn(ApiKeyId),
    body: Body,
    success: { status: 200, body: dataOf(ApiKeyBody) },
    failures: [404],
    handle: async ({ admission, body, params }) => {
      const { accountId } = admission;
      const { apiKey } = await keys.updateApiKey(
        {
          accountId,
          id: params.id,
          name: apiKeyName(body.name),
          ...(body.expires_at !== undefined && { expiresAt: body.expires_at ?? "" }),
          ...(body.allowed_ips !== undefined && {
            allowedIps: { networks: body.allowed_ips ?? [] },
          }),
        },
        admittedBy(admission),
      );
      return { body: { data: renderApiKey(apiKey) } };
    },
  });
}
