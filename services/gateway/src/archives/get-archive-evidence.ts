// GET /v1/archives/{id}/evidence (docs/lifecycle.md#archives): streams what proves the events of an archive.

import { ArchiveId } from "./render-archive.ts";
import { idIn } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import { archiveContent } from "./archive-content.ts";

export function getArchiveEvidence({ exports }: Pick<Deps, "exports">): Route {
  return route({
    summary: "Download the evidence of an archive",
    description:
      "A bundle of evidence without its events, which the other file has: annals-verify checks both together.",
    params: idIn(ArchiveId),
    success: { status: 200, mediaTypes: { "application/x-tar": "" } },
    failures: [404],
    handle: (call) => archiveContent(exports, "evidence", call),
  });
}
