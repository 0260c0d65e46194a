// GET /v1/api-keys (interface 5): a page of the keys of the account that are not revoked, newest first.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { ApiKeyBody, renderApiKey } from "./render-api-key.ts";
import { largePageMembers, MAX_LIMIT, pageOf, renderPage } from "../render/page.ts";
import { CLOSED } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function listApiKeys({ keys }: Pick<Deps, "keys">): Route {
  return route({
    summary: "List API keys",
    query: Type.Object(largePageMembers, CLOSED),
    success: { status: 200, body: pageOf("ApiKeyPage", ApiKeyBody) },
    handle: async ({ admission, query, signal }) => {
      const { limit = MAX_LIMIT, cursor: after = "" } = query;
      const request = { accountId: admission.accountId, limit, after };
      const response = await keys.listApiKeys(request, admittedBy(admission, signal));
      return { body: renderPage(response.apiKeys.map(renderApiKey), response.next) };
    },
  });
}
