// ListWidgetTokens: a page of the tokens that are valid now, newest first: those that the key of the request
// has made, with keys:manage those of all keys.

import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { KeysService, WidgetTokenSchema } from "@annals/proto/keys";
import { keysetPage } from "@annals/rpc";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { listWidgetTokens as listWidgetTokensStatement } from "../store/list-widget-tokens.ts";
import type { WidgetTokenRow } from "../store/widget-token-row.ts";
import { tokenOwner } from "./token-owner.ts";

interface Deps {
  readonly database: Pool;
}

export function listWidgetTokens(deps: Deps): ServiceImpl<typeof KeysService>["listWidgetTokens"] {
  return async ({ accountId, limit, after }, context) => {
    complete({ account_id: accountId });
    const owner = tokenOwner(context);
    const database = deps.database.forAccount(accountId, context.signal);
    const { rows, next } = await keysetPage({ after, limit }, "wtok_", (...params) =>
      database.run(listWidgetTokensStatement, [accountId, owner, ...params]),
    );
    return { widgetTokens: rows.map(renderWidgetToken), next };
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
