// One page of the widget tokens of an account that are live, newest first: all of them, or those that one key
// has made. `createdAt` and `id` are those of the last token of the page before, or null.

import { statement } from "@annals/postgres";
import { LIVE } from "../../store/live-widget-tokens.ts";
import type { WidgetTokenRow } from "./widget-token-row.ts";

type Params = [
  accountId: string,
  /** Null for all keys. */
  createdBy: string | null,
  createdAt: string | null,
  id: string | null,
  limit: number,
];

export const listWidgetTokens = statement<Params, WidgetTokenRow>(
  `/* keys.list-widget-tokens */
SELECT token.id, token.token_prefix, token.filter_json, token.parts, token.origins, token.viewer_id, token.viewer_name,
  token.created_at, token.expires_at
${LIVE}
  AND ($2::text IS NULL OR token.created_by = $2::text)
  AND ($3::text IS NULL OR (token.created_at, token.id) < ($3::text, $4::text))
ORDER BY token.created_at DESC, token.id DESC
LIMIT $5::integer
`,
  { route: "local" },
);
