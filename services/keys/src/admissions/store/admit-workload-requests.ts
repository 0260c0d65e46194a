// Authenticates and counts requests by tokens of workloads, as admit-requests.ts does by API keys. Nothing
// about a workload is remembered: it and its issuer are joined each time, so that what ends one of them ends
// with the next request. It must never get two entries with the same secret.

import { statement } from "@annals/postgres";
import type { EntryParams } from "../../store/file-entries.ts";
import { acceptedIssuer } from "../../store/accepted-issuer.ts";
import { ASKED_WITH_ADDRESSES, ofAllowed, type ProgramParams } from "./admit-requests.ts";
import { ACCOUNT_LIMIT, COUNTED, type CountedRow, COUNTS } from "./count-requests.ts";

export interface WorkloadAdmissionRow extends CountedRow {
  readonly scopes: readonly string[];
  /** When the token is to be verified again, or has expired. UTC with six fraction digits. */
  readonly expires_at: string;
  /** Networks as in api-key-row.ts. */
  readonly allowed_ips: readonly string[] | null;
  /** How many of the requests came from where the workload may be. */
  readonly wanted: number;
  /** Whether any of them did. */
  readonly is_allowed: boolean;
}

export const admitWorkloadRequests = statement<
  [...ProgramParams, ...EntryParams],
  WorkloadAdmissionRow
>(
  `/* keys.admit-workload-requests */
WITH ${ASKED_WITH_ADDRESSES}, known AS (
  SELECT asked.ordinal, token.account_id, workload.id AS key_id, token.id || $7::text AS window_id,
    $8::text AS account_window, workload.scopes, accounts.plan, ${ACCOUNT_LIMIT}, workload.allowed_ips,
    to_char(token.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS expires_at,
    ${ofAllowed("workload.allowed_ips")}
  FROM asked
  JOIN LATERAL (
    SELECT token.account_id, token.id, token.workload_id, token.issuer, token.expires_at
    FROM keys.access_tokens AS token
    WHERE token.secret_sha256 = asked.secret_sha256 AND token.workload_id IS NOT NULL
      AND token.expires_at > clock_timestamp()
    LIMIT 1
  ) AS token ON true
  JOIN LATERAL (
    SELECT workload.account_id, workload.id, workload.issuer, workload.scopes, workload.allowed_ips
    FROM keys.workloads AS workload
    WHERE workload.account_id = token.account_id AND workload.id = token.workload_id
    LIMIT 1
  ) AS workload ON true
  ${acceptedIssuer(11)} AND issuer.issuer = token.issuer
  JOIN keys.accounts ON accounts.account_id = token.account_id
), ${COUNTED}
SELECT ordinal, account_id, key_id, scopes, plan, expires_at, allowed_ips::text[] AS allowed_ips, wanted, is_allowed,
  ${COUNTS}
`,
  { route: "local" },
);
