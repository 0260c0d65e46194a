// GET /v1/api-keys (interface 4.1): all keys of the account that are not revoked, newest first.

import { Type } from "typebox";
import { admittedBy } from "../../admission/admission.ts";
import { ApiKeyBody, renderApiKey } from "../../render/api-key.ts";
import { dataOf } from "../../render/data.ts";
import { type Route, route } from "../../route.ts";
import type { Deps } from "../../deps.ts";

export function listApiKeys({ keys }: Pick<Deps, "keys">): Route {
  return route({
    summary: "List API keys",
    success: { status: 200, body: dataOf(Type.Array(ApiKeyBody)) },
    handle: async ({ admission, signal }) => {
      const { accountId } = admission;
      const { apiKeys } = await keys.listApiKeys({ accountId }, admittedBy(admission, signal));
      return { body: { data: apiKeys.map(renderApiKey) } };
    },
  });
}
