// GET /v1/exports/{id} (docs/exports.md): how far an export is.

import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { ExportBody, ExportId, renderExport } from "./render-export.ts";
import { idIn } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function getExport({ exports }: Pick<Deps, "exports">): Route {
  return route({
    summary: "Get an export",
    feature: "exports",
    params: idIn(ExportId),
    success: { status: 200, body: dataOf(ExportBody) },
    failures: [404],
    handle: async ({ admission, params, signal }) => {
      const { accountId } = admission;
      const response = await exports.getExport(
        { accountId, id: params.id },
        admittedBy(admission, signal),
      );
      return { body: `{"data":${renderExport(response.export)}}` };
    },
  });
}
