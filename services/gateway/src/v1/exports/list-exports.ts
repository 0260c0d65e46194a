// GET /v1/exports (docs/exports.md): a page of the account's exports, newest first.

import { Type } from "typebox";
import { ExportBody, renderExport } from "../../render/export.ts";
import { type Route, route } from "../../route.ts";
import type { Deps } from "../../v1.ts";

const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 50;

const open = { "x-annals-open-detail": true };

const Query = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_LIMIT,
        description: `${DEFAULT_LIMIT} unless told.`,
        ...open,
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: "The next_cursor of the page before.",
        ...open,
      }),
    ),
  },
  { additionalProperties: false },
);

const Page = Type.Object({
  data: Type.Array(ExportBody),
  has_more: Type.Boolean(open),
  next_cursor: Type.Union([Type.String(), Type.Null()], open),
});

export function listExports({ exports }: Pick<Deps, "exports">): Route {
  return route({
    summary: "List exports",
    openDetail: true,
    feature: "exports",
    query: Query,
    success: { status: 200, body: Page },
    handle: async ({ admission, query }) => {
      const { exports: page, next } = await exports.listExports({
        accountId: admission.accountId,
        limit: query.limit ?? DEFAULT_LIMIT,
        after: query.cursor ?? "",
      });
      const data = page.map(renderExport).join(",");
      const more = next !== "";
      return {
        body: `{"data":[${data}],"has_more":${more},"next_cursor":${more ? `"${next}"` : "null"}}`,
      };
    },
  });
}
