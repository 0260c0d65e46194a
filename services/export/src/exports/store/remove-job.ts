// Deletes the row of an export that was marked as deleted. Call it after its files are deleted: without the
// row nothing finds them. No row: another replica did it.

import { statement } from "@annals/postgres";

type Params = [accountId: string, id: string];

export const removeJob = statement<Params, { readonly id: string }>(
  `/* exports.remove-job */
DELETE FROM exports.jobs WHERE account_id = $1::text AND id = $2::text AND deleted_at IS NOT NULL
RETURNING id
`,
  { route: "one account" },
);
