// The number of live widget tokens of an account, and of those that one of its keys has made.

import { statement } from "@annals/postgres";
import { LIVE } from "./live-widget-tokens.ts";

type Params = [accountId: string, keyId: string];

interface CountsRow {
  readonly live_tokens: string;
  readonly of_key: string;
}

export const countWidgetTokens = statement<Params, CountsRow>(
  `/* keys.count-widget-tokens */
SELECT count(*) AS live_tokens, count(*) FILTER (WHERE token.created_by = $2::text) AS of_key ${LIVE}
`,
  { route: "local" },
);
