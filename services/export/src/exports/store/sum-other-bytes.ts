// The bytes of all exports of an account but one: what is kept (files, what a failed attempt has left, and
// what is deleted and still there), and what the exports that are not finished have reserved.

import { statement } from "@annals/postgres";

type Params = [accountId: string, exceptId: string];

export interface OtherBytes {
  readonly kept: string;
  readonly unfinished: string;
}

export const sumOtherBytes = statement<Params, OtherBytes>(
  `/* exports.sum-other-bytes */
SELECT
  coalesce(sum(coalesce(size_bytes, reserved_bytes)) FILTER (WHERE status NOT IN ('pending', 'running')), 0)::bigint
    AS kept,
  coalesce(sum(reserved_bytes) FILTER (WHERE status IN ('pending', 'running')), 0)::bigint AS unfinished
FROM exports.jobs
WHERE account_id = $1::text AND id <> $2::text
`,
  { route: "one account" },
);
