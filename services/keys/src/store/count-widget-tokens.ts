// The number of live widget tokens of an account.

import { statement } from "@annals/postgres";
import { LIVE } from "./live-widget-tokens.ts";

export const countWidgetTokens = statement<
  [accountId: string],
  { readonly live_tokens: string }
>(`/* keys.count-widget-tokens */
SELECT count(*) AS live_tokens ${LIVE}
`);
