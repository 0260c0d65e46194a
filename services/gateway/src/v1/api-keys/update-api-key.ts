// PATCH /v1/api-keys/{id} (interface 5): renames a key. Its scopes are fixed: a request that
// names them is refused.

import { Type } from "typebox";
import { admittedBy } from "../../admission/admission.ts";
import { ApiKeyBody, ApiKeyId, renderApiKey } from "../../render/api-key.ts";
import { dataOf } from "../../render/data.ts";
import { CLOSED, idIn, named } from "../../render/schema.ts";
import { type Route, route } from "../../route.ts";
import type { Deps } from "../../deps.ts";
import { ApiKeyName, apiKeyName } from "./api-key-name.ts";

const Body = named(
  "ApiKeyUpdate",
  Type.Object(
    // A member that is never allowed is not in the document; here it is, for the sake of its refusal.
    { name: ApiKeyName, scopes: Type.Optional(Type.Unsafe<never>({ not: {} })) },
    CLOSED,
  ),
);

export function updateApiKey({ keys }: Pick<Deps, "keys">): Route {
  return route({
    summary: "Rename an API key",
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
        },
        admittedBy(admission),
      );
      return { body: { data: renderApiKey(apiKey) } };
    },
  });
}
