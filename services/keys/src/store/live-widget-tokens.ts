// The widget tokens of an account that are live, as admit-widget-requests.ts admits them. Called by the
// statements that list and count them.

import { LIVE_KEY } from "./live-keys.ts";

/** `$1` is the account. */
export const LIVE = `FROM keys.widget_tokens AS token
JOIN keys.api_keys ON api_keys.account_id = token.account_id AND api_keys.id = token.created_by
  AND ${LIVE_KEY}
WHERE token.account_id = $1::text AND token.expires_at::timestamptz > clock_timestamp()`;
