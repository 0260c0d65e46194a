// One page of the widget tokens of an account that are live, newest first. `createdAt` and `id` are those of
// the last token of the page before, or null.

import { statement } from "@annals/postgres";
import { LIVE } from "./live-widget-tokens.ts";
import type { WidgetTokenRow } from "./widget-token-row.ts";

type Params = [accountId: string, createdAt: string | null, id: string | null, limit: number];

export const listWidgetTokens = statement<Params, WidgetTokenRow>(`/* keys.list-widget-tokens */
SELECT token.id, token.token_prefix, token.filter_json, token.parts, token.origins, token.viewer_id, token.viewer_name,
  token.created_at, token.expires_at
${LIVE}
  AND ($2::text IS NULL OR (token.created_at, token.id) < ($2::text, $3::text))
ORDER BY token.created_at DESC, token.id DESC
LIMIT $4::integer
`);
