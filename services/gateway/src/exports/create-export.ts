// POST /v1/exports (docs/exports.md): fixes a range of the account's chain and queues the writing
// of its file.

import { EXPORT_FORMATS } from "@annals/contract";
import type { CreateExportRequestSchema } from "@annals/proto/exports";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Type, type Static } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { SearchFilterBody } from "../events/render-event-filter.ts";
import { EXPORT_MEMBERS, ExportBody, FORMAT_NUMBERS, renderExport } from "./render-export.ts";
import { CLOSED, named } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import { filterText } from "../events/event-query.ts";
import { storedFilter } from "../events/stored-filter.ts";

const Body = named(
  "NewExport",
  Type.Object(
    {
      format: Type.Optional(
        Type.Enum([...EXPORT_FORMATS], {
          description:
            "Default: jsonl. csv_bom: CSV that begins with a byte order mark, without which Excel misreads " +
            "letters beyond ASCII. parquet: for DuckDB, ClickHouse and Athena. " +
            "evidence: a tar file that is verified against the log, with proofs and salts whatever " +
            "include_proofs says. Its range ends at the last event that the log covers.",
          examples: ["jsonl"],
          ...EXPORT_MEMBERS,
        }),
      ),
      filter: Type.Optional(SearchFilterBody),
      include_proofs: Type.Optional(
        Type.Boolean({
          description:
            "Whether the file can be verified without the service. Such a file contains salts: anyone who has it can " +
            "confirm a guess at an erased value. Default: false.",
          examples: [true],
          ...EXPORT_MEMBERS,
        }),
      ),
    },
    CLOSED,
  ),
);

export function createExport({ exports, ledger }: Pick<Deps, "exports" | "ledger">): Route {
  return route({
    summary: "Export events",
    description:
      "The range is fixed by the request and ends at the last stored event. The file is written afterwards; " +
      "poll the export until its status is completed, or subscribe to export.completed. If there is an export " +
      "with the same members, and no event was stored since, that export is returned.",
    feature: "exports",
    body: Body,
    success: { status: 201, body: dataOf(ExportBody) },
    planLimit: "count",
    handle: async ({ admission, body, signal }) => {
      const given = body.filter ?? {};
      const filter = await storedFilter({ ledger }, admission, given, signal);
      const response = await exports.createExport(
        { ...toRequest(admission.accountId, body), filter },
        admittedBy(admission, signal),
      );
      return { body: `{"data":${renderExport(response.export)}}` };
    },
  });
}

function toRequest(
  accountId: string,
  body: Static<typeof Body>,
): MessageInitShape<typeof CreateExportRequestSchema> {
  const filter = body.filter ?? {};
  return {
    accountId,
    format: FORMAT_NUMBERS[body.format ?? "jsonl"],
    filterJson: filterText(filter),
    includeProofs: body.include_proofs ?? false,
  };
}
