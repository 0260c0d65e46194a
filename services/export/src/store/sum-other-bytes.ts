// The bytes of all exports of an account but one: of files, of what is being written, and of what is
// deleted and still there.

import { statement } from "@annals/postgres";

type Params = [accountId: string, exceptId: string];

export const sumOtherBytes = statement<
  Params,
  { readonly bytes: string }
>(`/* exports.sum-other-bytes */
SELECT coalesce(sum(coalesce(size_bytes, reserved_bytes)), 0)::bigint AS bytes
FROM exports.jobs
WHERE account_id = $1::text AND id <> $2::text
`);
