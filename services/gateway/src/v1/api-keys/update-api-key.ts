// PATCH /v1/api-keys/{id} (interface 4.1): renames a key. Its scopes are fixed: a request that
// names them is refused.

import { Type } from "typebox";
import { admittedBy } from "../../admission/admission.ts";
import { ApiKeyBody, renderApiKey } from "../../render/api-key.ts";
import { dataOf } from "../../render/data.ts";
import { type Route, route } from "../../route.ts";
import type { Deps } from "../../deps.ts";
import { ApiKeyName, apiKeyName } from "./api-key-name.ts";

const Body = Type.Object(
  {
    name: ApiKeyName,
    scopes: Type.Optional(
      Type.Unsafe<never>({
        not: {},
        description: "Not allowed: scopes are fixed at creation.",
        "x-annals-open-detail": true,
      }),
    ),
  },
  { additionalProperties: false },
);

export function updateApiKey({ keys }: Pick<Deps, "keys">): Route {
  return route({
    summary: "Rename an API key",
    params: Type.Object({ id: Type.String() }),
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
