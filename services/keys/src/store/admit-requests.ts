// Authenticates and counts a group of requests in one statement. The database's clock and the row lock of
// the rate window decide, so any number of gateways and of keys services count as one (interface 3). A
// count of 0 authenticates, and neither counts nor begins a window. It must never get two entries with the
// same secret: one statement cannot update a row twice. Requests that count in another window of the same
// key are admitted by a statement of their own.

import { statement } from "@annals/postgres";
import {
  ACCOUNT_LIMIT,
  COUNTED,
  type CountedRow,
  type CountParams,
  COUNTS,
} from "./count-requests.ts";

export interface AdmissionRow extends CountedRow {
  readonly scopes: readonly string[];
}

/** A window of a key, and the window of its account in which the same requests count. */
interface Window {
  /** What follows the id of the key in the name of the window. */
  readonly ofKey: "" | "/log" | "/intake";
  readonly ofAccount: "" | "intake";
}

export const WINDOWS = {
  requests: { ofKey: "", ofAccount: "" },
  log: { ofKey: "/log", ofAccount: "" },
  intake: { ofKey: "/intake", ofAccount: "intake" },
} as const satisfies Readonly<Record<string, Window>>;

type Params = [...CountParams, ofKey: Window["ofKey"], ofAccount: Window["ofAccount"]];

export const admitRequests = statement<Params, AdmissionRow>(
  `/* keys.admit-requests */
WITH asked AS (
  SELECT secret_sha256, wanted, ordinal
  FROM unnest($1::bytea[], $2::integer[]) WITH ORDINALITY AS given (secret_sha256, wanted, ordinal)
), known AS (
  SELECT asked.ordinal, asked.wanted, api_keys.account_id, api_keys.id AS key_id,
    api_keys.id || $7::text AS window_id, $8::text AS account_window, api_keys.scopes, accounts.plan, ${ACCOUNT_LIMIT}
  FROM asked
  JOIN keys.api_keys ON api_keys.secret_sha256 = asked.secret_sha256 AND api_keys.revoked_at IS NULL
  JOIN keys.accounts ON accounts.account_id = api_keys.account_id
), ${COUNTED}
SELECT ordinal, account_id, key_id, scopes, plan, ${COUNTS}
`,
  { route: "local" },
);
