// GET /v1/exports (docs/exports.md): a page of the account's exports, newest first.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { ExportBody, renderExport } from "./render-export.ts";
import { DEFAULT_LIMIT, pageMembers, pageOf } from "../render/page.ts";
import { CLOSED } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

const Query = Type.Object(pageMembers, CLOSED);

export function listExports({ exports }: Pick<Deps, "exports">): Route {
  return route({
    summary: "List exports",
    feature: "exports",
    query: Query,
    success: { status: 200, body: pageOf("ExportPage", ExportBody) },
    handle: async ({ admission, query, signal }) => {
      const { exports: page, next } = await exports.listExports(
        {
          accountId: admission.accountId,
          limit: query.limit ?? DEFAULT_LIMIT,
          after: query.cursor ?? "",
        },
        admittedBy(admission, signal),
      );
      const data = page.map(renderExport).join(",");
      const more = next !== "";
      return {
        body: `{"data":[${data}],"has_more":${more},"next_cursor":${more ? `"${next}"` : "null"}}`,
      };
    },
  });
}
