// DELETE /v1/exports/{id} (docs/exports.md): deletes an export and its file permanently.

import { admittedBy } from "../admission/admission.ts";
import { ExportId } from "./render-export.ts";
import { idIn } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function deleteExport({ exports }: Pick<Deps, "exports">): Route {
  return route({
    summary: "Delete an export",
    description:
      "An export that is being written is cancelled. Its file is deleted shortly after the response.",
    feature: "exports",
    params: idIn(ExportId),
    success: { status: 204 },
    failures: [404],
    handle: async ({ admission, params }) => {
      await exports.deleteExport(
        { accountId: admission.accountId, id: params.id },
        admittedBy(admission),
      );
      return {};
    },
  });
}
