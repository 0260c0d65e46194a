// ListExports: a page of an account's exports, newest first. The cursor is a keyset: time of creation and id.

import { complete, invalid } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { ExportsService } from "@annals/proto/exports";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ExportRow } from "../store/export-row.ts";
import { listJobs } from "../store/list-jobs.ts";
import { renderExport } from "./render-export.ts";

const MAX_LIMIT = 100;

interface Deps {
  readonly database: Database;
}

export function listExports(deps: Deps): ServiceImpl<typeof ExportsService>["listExports"] {
  return async ({ accountId, limit, after }) => {
    complete({ account_id: accountId });
    if (limit < 1 || limit > MAX_LIMIT) {
      throw invalid({ field: "limit", message: `must be from 1 to ${MAX_LIMIT}` });
    }
    const [createdAt, id] = decodeCursor(after);
    // One row more than the limit shows whether there is a next page.
    const rows = await deps.database.run(listJobs, [accountId, createdAt, id, limit + 1]);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      exports: page.map(renderExport),
      next: last && rows.length > limit ? cursorAfter(last) : "",
    };
  };
}

const CURSOR = /^1\.([0-9TZ:.-]{27})\.(exp_[0-9a-z]{1,64})$/;

function cursorAfter({ created_at: createdAt, id }: ExportRow): string {
  return Buffer.from(`1.${createdAt}.${id}`).toString("base64url");
}

/** Throws `invalid` for the field as clients know it: they get this text and send it back as `cursor`. */
function decodeCursor(after: string): [createdAt: string | null, id: string | null] {
  if (after === "") return [null, null];
  const found = CURSOR.exec(Buffer.from(after, "base64url").toString("latin1"));
  // Node ignores what is no base64.
  if (!found || !/^[\w-]+$/.test(after))
    throw invalid({ field: "cursor", message: "must be the next_cursor of an earlier page" });
  return [found[1] ?? null, found[2] ?? null];
}
