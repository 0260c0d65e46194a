// The widget tokens of an account that are live. Called by the statements that list and count them. A token
// of a session is among them while the session lasts: whether its person still has a role, or the file the
// issuer of its workload, is for admission.

import { LIVE_KEY } from "./live-keys.ts";

/** `$1` is the account. */
export const LIVE = `FROM keys.widget_tokens AS token
LEFT JOIN keys.api_keys ON token.session_id IS NULL AND api_keys.account_id = token.account_id
  AND api_keys.id = token.created_by AND ${LIVE_KEY}
LEFT JOIN keys.sessions AS session ON session.id = token.session_id
  AND least(session.idle_at, session.expires_at) > clock_timestamp()
LEFT JOIN keys.workloads AS workload ON token.session_id IS NULL AND workload.account_id = token.account_id
  AND workload.id = token.created_by
WHERE token.account_id = $1::text AND token.expires_at::timestamptz > clock_timestamp()
  AND (api_keys.id IS NOT NULL OR session.id IS NOT NULL OR workload.id IS NOT NULL)`;
