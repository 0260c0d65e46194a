// Authenticates and counts requests by access tokens of people, as admit-requests.ts does by API keys.
// Nothing about a person is remembered: session, block, provider and role are joined each time, so that what
// ends one of them ends with the next request. It must never get two entries with the same secret.

import { statement } from "@annals/postgres";
import type { EntryParams } from "../../store/file-entries.ts";
import { acceptedProvider, livePerson, mappedRole } from "../../store/mapped-role.ts";
import {
  ACCOUNT_LIMIT,
  COUNTED,
  type CountedRow,
  type CountParams,
  COUNTS,
} from "./count-requests.ts";

export interface AccessAdmissionRow extends CountedRow {
  readonly role: string;
  readonly session_id: string;
  /** The end of the token, or of its session if that is earlier. UTC with six fraction digits. */
  readonly expires_at: string;
}

// `wanted >= 0` is always true. PostgreSQL expects it to leave a third of the rows, and so keeps to the
// generic plan, which has the same look-ups. Making a custom plan takes four times as long as running it.
export const admitAccessRequests = statement<[...CountParams, ...EntryParams], AccessAdmissionRow>(
  `/* keys.admit-access-requests */
WITH asked AS (
  SELECT secret_sha256, wanted, ordinal
  FROM unnest($1::bytea[], $2::integer[]) WITH ORDINALITY AS given (secret_sha256, wanted, ordinal)
  WHERE wanted >= 0
), known AS (
  SELECT asked.ordinal, asked.wanted, token.account_id, token.person_id AS key_id, token.id AS window_id,
    '' AS account_window, token.session_id, mapped.role, accounts.plan, ${ACCOUNT_LIMIT},
    to_char(least(token.expires_at, session.idle_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS expires_at
  FROM asked
  JOIN LATERAL (
    SELECT token.account_id, token.id, token.person_id, token.session_id, token.expires_at
    FROM keys.access_tokens AS token
    WHERE token.secret_sha256 = asked.secret_sha256 AND token.expires_at > clock_timestamp()
    LIMIT 1
  ) AS token ON true
  ${livePerson("dashboard")}
  ${acceptedProvider("token.account_id", 7)}
  JOIN keys.accounts ON accounts.account_id = token.account_id
  ${mappedRole("token.account_id")}
), ${COUNTED}
SELECT ordinal, account_id, key_id, role, session_id, expires_at, plan, ${COUNTS}
`,
  { route: "local" },
);
