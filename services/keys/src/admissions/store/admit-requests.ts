// Authenticates and counts a group of requests in one statement. The database's clock and the row lock of
// the rate window decide, so any number of gateways and of keys services count as one (interface 3). A
// count of 0 authenticates, and neither counts nor begins a window. It must never get two entries with the
// same secret: one statement cannot update a row twice. Requests that count in another window of the same
// key are admitted by a statement of their own. Requests from where a key may not be used count nowhere.

import { statement } from "@annals/postgres";
import {
  ACCOUNT_LIMIT,
  COUNTED,
  type CountedRow,
  type CountParams,
  COUNTS,
} from "./count-requests.ts";
import { LIVE_KEY } from "../../store/live-keys.ts";

export interface AdmissionRow extends CountedRow {
  readonly scopes: readonly string[];
  readonly expires_at: string | null;
  /** Networks as in api-key-row.ts. */
  readonly allowed_ips: readonly string[] | null;
  readonly last_used_on: string | null;
  /** How many of the requests came from where the key may be used. */
  readonly wanted: number;
  /** Whether any of the addresses may use the key. */
  readonly is_allowed: boolean;
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

/** What was asked, with the addresses of {@link ProgramParams}. */
export const ASKED_WITH_ADDRESSES = `asked AS (
  SELECT secret_sha256, wanted, ordinal, addresses, counts
  FROM unnest($1::bytea[], $2::integer[], $9::text[], $10::text[])
    WITH ORDINALITY AS given (secret_sha256, wanted, addresses, counts, ordinal)
)`;

/** How many of the requests came from one of the networks, and whether any did. Null networks are all. */
export const ofAllowed = (
  networks: string,
): string => `CASE WHEN ${networks} IS NULL THEN asked.wanted ELSE (
      SELECT coalesce(sum(origin.wanted), 0)::integer
      FROM unnest(asked.addresses::inet[], asked.counts::integer[]) AS origin (address, wanted)
      WHERE origin.address <<= ANY (${networks})) END AS wanted,
    CASE WHEN ${networks} IS NULL THEN true ELSE EXISTS (
      SELECT 1 FROM unnest(asked.addresses::inet[]) AS origin (address)
      WHERE origin.address <<= ANY (${networks})) END AS is_allowed`;

export type ProgramParams = [
  ...CountParams,
  ofKey: Window["ofKey"],
  ofAccount: Window["ofAccount"],
  /** Array literals for each secret: the addresses that its requests came from, and how many from each. */
  addresses: readonly string[],
  countsOfAddresses: readonly string[],
];

export const admitRequests = statement<ProgramParams, AdmissionRow>(
  `/* keys.admit-requests */
WITH ${ASKED_WITH_ADDRESSES}, known AS (
  SELECT asked.ordinal, api_keys.account_id, api_keys.id AS key_id,
    api_keys.id || $7::text AS window_id, $8::text AS account_window, api_keys.scopes, accounts.plan, ${ACCOUNT_LIMIT},
    api_keys.expires_at, api_keys.allowed_ips, api_keys.last_used_on,
    ${ofAllowed("api_keys.allowed_ips")}
  FROM asked
  JOIN keys.api_keys ON api_keys.secret_sha256 = asked.secret_sha256 AND ${LIVE_KEY}
  JOIN keys.accounts ON accounts.account_id = api_keys.account_id
), ${COUNTED}
SELECT ordinal, account_id, key_id, scopes, plan, expires_at, allowed_ips::text[] AS allowed_ips, last_used_on, wanted,
  is_allowed, ${COUNTS}
`,
  { route: "local" },
);
