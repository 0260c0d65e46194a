// GET /v1/archives/{id}/events (docs/lifecycle.md#archives): streams the events of an archive.

import { ArchiveId } from "./render-archive.ts";
import { idIn } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import { archiveContent } from "./archive-content.ts";

export function getArchiveEvents({ exports }: Pick<Deps, "exports">): Route {
  return route({
    summary: "Download the events of an archive",
    description:
      "JSON Lines with proofs in one zstd frame. An erasure of its events writes the file anew.",
    params: idIn(ArchiveId),
    success: { status: 200, mediaTypes: { "application/zstd": "" } },
    failures: [404],
    handle: (call) => archiveContent(exports, "events", call),
  });
}
