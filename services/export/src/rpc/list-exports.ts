// ListExports: a page of an account's exports, newest first, by keyset on the time of creation.

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
    const [createdAt, id] = readPlace(after);
    // One more than asked for tells whether there is a next page.
    const rows = await deps.database.run(listJobs, [accountId, createdAt, id, limit + 1]);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      exports: page.map(renderExport),
      next: last && rows.length > limit ? placeAfter(last) : "",
    };
  };
}

const PLACE = /^1\.([0-9TZ:.-]{27})\.(exp_[0-9a-z]{1,64})$/;

function placeAfter({ created_at: createdAt, id }: ExportRow): string {
  return Buffer.from(`1.${createdAt}.${id}`).toString("base64url");
}

/** Throws `invalid` in the client's own terms: the text goes to clients and comes back as their `cursor`. */
function readPlace(after: string): [createdAt: string | null, id: string | null] {
  if (after === "") return [null, null];
  const found = PLACE.exec(Buffer.from(after, "base64url").toString("latin1"));
  if (!found)
    throw invalid({ field: "cursor", message: "must be the next_cursor of an earlier page" });
  return [found[1] ?? null, found[2] ?? null];
}
