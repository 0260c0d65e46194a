// GET /v1/exports/{id}/content (docs/exports.md): streams the file of a completed export. Before
// that the file does not exist: 404.

import { EXPORT_ENDINGS, type ExportFormat } from "@annals/contract";
import { AnnalsError, internal } from "@annals/errors";
import { csvHeader } from "@annals/event";
import { Readable } from "node:stream";
import { admittedBy } from "../admission/admission.ts";
import { EventBody } from "../events/render-event.ts";
import { exampleOf } from "../render/example.ts";
import { ExportId, formatOf, statusOf } from "./render-export.ts";
import { idIn } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import { fileContent } from "./export-content.ts";

const CSV = "text/csv; charset=utf-8; header=present";
const MEDIA_TYPES: Record<ExportFormat, string> = {
  jsonl: "application/x-ndjson; charset=utf-8",
  csv: CSV,
  csv_bom: CSV,
  parquet: "application/vnd.apache.parquet",
  evidence: "application/x-tar",
};

/** Bytes buffered for a slow client. */
const BUFFERED_BYTES = 64 * 1024;

export function getExportContent({ exports }: Pick<Deps, "exports">): Route {
  return route({
    summary: "Download the file of an export",
    feature: "exports",
    params: idIn(ExportId),
    success: {
      status: 200,
      mediaTypes: {
        "application/x-ndjson": `${JSON.stringify(exampleOf(EventBody))}\n`,
        "text/csv": csvHeader(false),
        "application/vnd.apache.parquet": "",
        "application/x-tar": "",
      },
    },
    failures: [404],
    handle: async ({ admission, readmit, params, signal }) => {
      const request = { accountId: admission.accountId, id: params.id };
      const { export: one } = await exports.getExport(request, admittedBy(admission, signal));
      if (!one) throw internal("the export service responded without an export");
      const status = statusOf(one);
      if (status !== "completed") {
        const message = `The export ${one.id} is ${status}: it has content once it is completed.`;
        throw new AnnalsError("not_found", message);
      }
      const format = formatOf(one);
      const content = fileContent(
        (offset, options) => exports.streamExportContent({ ...request, offset }, options),
        one.sizeBytes ?? 0n,
        { admission, readmit, signal },
      );
      return {
        headers: {
          "content-type": MEDIA_TYPES[format],
          "content-length": String(one.sizeBytes),
          "content-disposition": `attachment; filename="${one.id}.${EXPORT_ENDINGS[format]}"`,
        },
        stream: Readable.from(content, { objectMode: false, highWaterMark: BUFFERED_BYTES }),
      };
    },
  });
}
