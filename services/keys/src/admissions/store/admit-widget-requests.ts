// Authenticates and counts requests by widget tokens, as admit-requests.ts does by API keys. A token is live
// until it expires, by the database's clock, and no longer than what made it: an API key, a workload, or a
// session, while its person may still read the account's events. An operator's session may in the system
// account, and in no other. It must never get two entries with the same secret.

import { SYSTEM_ACCOUNT_ID } from "@annals/contract";
import { statement } from "@annals/postgres";
import type { EntryParams } from "../../store/file-entries.ts";
import {
  ACCOUNT_LIMIT,
  COUNTED,
  type CountedRow,
  type CountParams,
  COUNTS,
} from "./count-requests.ts";
import { acceptedIssuer } from "../../store/accepted-issuer.ts";
import { LIVE_KEY_BY_ID } from "../../store/live-keys.ts";
import {
  acceptedProvider,
  isOperatorNow,
  livePerson,
  mappedRole,
  type OperatorParams,
} from "../../store/mapped-role.ts";

export interface WidgetAdmissionRow extends CountedRow {
  /** An EventFilter in binary. */
  readonly filter: Uint8Array;
  readonly parts: readonly string[];
  readonly origins: readonly string[];
  readonly viewer_id: string | null;
  /** The end of the token or of what made it, whichever is earlier. */
  readonly expires_at: string;
}

const SESSION_END = `to_char(least(session.idle_at, session.expires_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

export const admitWidgetRequests = statement<
  [...CountParams, ...EntryParams, ...EntryParams, ...OperatorParams],
  WidgetAdmissionRow
>(
  `/* keys.admit-widget-requests */
WITH asked AS (
  SELECT secret_sha256, wanted, ordinal
  FROM unnest($1::bytea[], $2::integer[]) WITH ORDINALITY AS given (secret_sha256, wanted, ordinal)
), known AS (
  SELECT asked.ordinal, asked.wanted, token.account_id, token.id AS key_id, token.id AS window_id, '' AS account_window,
    token.filter, token.parts, token.origins, token.viewer_id,
    least(token.expires_at, maker.expires_at) AS expires_at, accounts.plan, ${ACCOUNT_LIMIT}
  FROM asked
  JOIN keys.widget_tokens AS token ON token.secret_sha256 = asked.secret_sha256
    AND token.expires_at::timestamptz > clock_timestamp()
  JOIN LATERAL (
    SELECT api_keys.expires_at
    FROM keys.api_keys
    WHERE token.session_id IS NULL AND api_keys.account_id = token.account_id AND api_keys.id = token.created_by
      AND ${LIVE_KEY_BY_ID}
    UNION ALL
    SELECT ${SESSION_END}
    FROM (SELECT 1) AS one
    ${livePerson("dashboard")}
    ${acceptedProvider("token.account_id", 7)}
    ${mappedRole("token.account_id")}
    WHERE token.session_id IS NOT NULL
    UNION ALL
    SELECT ${SESSION_END}
    FROM (SELECT 1) AS one
    ${livePerson("operator")}
    WHERE token.session_id IS NOT NULL AND token.account_id = '${SYSTEM_ACCOUNT_ID}' AND ${isOperatorNow(13)}
    UNION ALL
    SELECT NULL
    FROM keys.workloads AS workload
    ${acceptedIssuer(10)}
    WHERE token.session_id IS NULL AND workload.account_id = token.account_id AND workload.id = token.created_by
  ) AS maker ON true
  JOIN keys.accounts ON accounts.account_id = token.account_id
), ${COUNTED}
SELECT ordinal, account_id, key_id, filter, parts, origins, viewer_id, expires_at, plan, ${COUNTS}
`,
  { route: "local" },
);
