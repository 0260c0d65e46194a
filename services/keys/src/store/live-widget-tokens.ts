// The widget tokens of an account that are live. Called by the statements that list and count them. A token
// of a session is among them while the session lasts: whether its person still has a role, or the file the
// issuer of its workload, is for admission.

import { LIVE_KEY_BY_ID } from "./live-keys.ts";

/**
 * `$1` is the account. What made a token is looked up for each: a join would read all keys of an account that
 * has many, and hold its connection for long.
 */
export const LIVE = `FROM keys.widget_tokens AS token
WHERE token.account_id = $1::text AND token.expires_at::timestamptz > clock_timestamp() AND EXISTS (
  SELECT FROM keys.api_keys
  WHERE token.session_id IS NULL AND api_keys.account_id = token.account_id AND api_keys.id = token.created_by
    AND ${LIVE_KEY_BY_ID}
  UNION ALL
  SELECT FROM keys.sessions AS session
  WHERE session.id = token.session_id AND least(session.idle_at, session.expires_at) > clock_timestamp()
  UNION ALL
  SELECT FROM keys.workloads AS workload
  WHERE token.session_id IS NULL AND workload.account_id = token.account_id AND workload.id = token.created_by)`;
