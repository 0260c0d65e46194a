// ListWidgetTokens: a page of the tokens that are valid now, newest first. The cursor is a keyset: time of
// creation and id.

import { complete, invalid } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { KeysService, WidgetTokenSchema } from "@annals/proto/keys";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { listWidgetTokens as listWidgetTokensStatement } from "../store/list-widget-tokens.ts";
import type { WidgetTokenRow } from "../store/widget-token-row.ts";

const MAX_LIMIT = 100;

interface Deps {
  readonly database: Database;
}

export function listWidgetTokens(deps: Deps): ServiceImpl<typeof KeysService>["listWidgetTokens"] {
  return async ({ accountId, limit, after }) => {
    complete({ account_id: accountId });
    if (limit < 1 || limit > MAX_LIMIT) {
      throw invalid({ field: "limit", message: `must be from 1 to ${MAX_LIMIT}` });
    }
    const [createdAt, id] = decodeCursor(after);
    // One row more than the limit shows whether there is a next page.
    const params = [accountId, createdAt, id, limit + 1] as const;
    const rows = await deps.database.run(listWidgetTokensStatement, [...params]);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      widgetTokens: page.map(renderWidgetToken),
      next: last && rows.length > limit ? cursorAfter(last) : "",
    };
  };
}

function renderWidgetToken(row: WidgetTokenRow): MessageInitShape<typeof WidgetTokenSchema> {
  return {
    id: row.id,
    tokenPrefix: row.token_prefix,
    filterJson: row.filter_json,
    parts: [...row.parts],
    origins: [...row.origins],
    viewerId: row.viewer_id ?? "",
    viewerName: row.viewer_name ?? "",
    expiresAt: row.expires_at,
    createdAt: row.created_at,
  };
}

const CURSOR = /^1\.([0-9TZ:.-]{27})\.(wtok_[0-9a-z]{26})$/;

function cursorAfter({ created_at: createdAt, id }: WidgetTokenRow): string {
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
