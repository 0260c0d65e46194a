// GET /v1/archives (docs/lifecycle.md#archives): a page of the account's archives, newest first.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { ArchiveBody, renderArchive } from "./render-archive.ts";
import { DEFAULT_LIMIT, pageMembers, pageOf, renderPage } from "../render/page.ts";
import { CLOSED } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function listArchives({ exports }: Pick<Deps, "exports">): Route {
  return route({
    summary: "List archives",
    description:
      "What was archived of the account's events, newest first. An archive has events of one month. They stay " +
      "here after retention has deleted them.",
    query: Type.Object(pageMembers, CLOSED),
    success: { status: 200, body: pageOf("ArchivePage", ArchiveBody) },
    handle: async ({ admission, query, signal }) => {
      const { limit = DEFAULT_LIMIT, cursor: after = "" } = query;
      const request = { accountId: admission.accountId, limit, after };
      const { archives, next } = await exports.listArchives(request, admittedBy(admission, signal));
      return { body: renderPage(archives.map(renderArchive), next) };
    },
  });
}
