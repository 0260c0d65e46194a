// GET /v1/search/fields (docs/search-fields.md): all fields that the account has declared, the oldest first.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import { renderSearchField, SearchFieldBody } from "./render-search-field.ts";

export function listSearchFields({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "List declared fields",
    description: "All of them, the oldest first, each with how far its index is.",
    success: { status: 200, body: dataOf(Type.Array(SearchFieldBody)) },
    handle: async ({ admission, signal }) => {
      const { accountId } = admission;
      const { fields } = await ledger.listSearchFields(
        { accountId },
        admittedBy(admission, signal),
      );
      return { body: { data: fields.map(renderSearchField) } };
    },
  });
}
